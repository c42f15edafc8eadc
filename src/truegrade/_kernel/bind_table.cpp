#include "bind_table.hpp"

#include "arrays.hpp"
#include "keywords.hpp"
#include "table_plan.hpp"
#include "table_sweep.hpp"

namespace truegrade {
namespace {

void bind_table_plan(Vector<std::int64_t> instance_ptr, Vector<std::int32_t> annotator,
                     Vector<std::uint8_t> grade, MaybeVector<double> weight, std::int64_t annotators,
                     std::int64_t grades, std::int64_t tile_instances, int threads,
                     VectorOut<std::int32_t> cell_out, VectorOut<std::int32_t> instance_out,
                     std::optional<VectorOut<double>> weight_out) {
  const std::size_t ratings = annotator.shape(0);
  check_length("grade", grade.shape(0), ratings);
  check_length("weight", weight, ratings);
  check_length("cell_out", cell_out.shape(0), ratings);
  check_length("instance_out", instance_out.shape(0), ratings);
  if (weight.has_value() != weight_out.has_value())
    throw std::invalid_argument("weight and weight_out go together");
  if (weight_out) check_length("weight_out", weight_out->shape(0), ratings);
  if (annotators * grades > INT32_MAX || tile_instances < 1)
    throw std::invalid_argument("too many annotators and grades, or no tile");
  nb::gil_scoped_release release;
  table_plan(instance_ptr.data(), annotator.data(), grade.data(), data_or_null(weight),
             static_cast<std::int64_t>(instance_ptr.shape(0)) - 1, annotators, grades, tile_instances,
             threads, cell_out.data(), instance_out.data(), weight_out ? weight_out->data() : nullptr);
}

void bind_table_sweep(const nb::kwargs& arguments) {
  Keywords from(arguments);
  const std::size_t ratings = from.length("annotator"), instances = from.length("log_z_out");
  const auto annotators = from.scalar<std::size_t>("annotators"), grades = from.scalar<std::size_t>("grades");
  const std::size_t nodes = from.length("node_counts_out"), priors = from.length("log_prior");
  TableInput in{};
  in.instances = static_cast<std::int64_t>(instances);
  in.annotators = static_cast<std::int64_t>(annotators);
  in.grades = static_cast<std::int64_t>(grades);
  in.nodes = static_cast<std::int64_t>(nodes);
  in.priors = static_cast<std::int64_t>(priors);
  in.instance_ptr = from.input<std::int64_t>("instance_ptr", instances + 1);
  in.annotator = from.input<std::int32_t>("annotator", ratings);
  in.grade = from.input<std::uint8_t>("grade", ratings);
  in.weight = from.maybe_input<double>("weight", ratings);
  in.prior_row = from.maybe_input<std::int32_t>("prior_row", instances);
  in.tile_instances = from.scalar<std::int64_t>("tile_instances");
  in.cell = from.input<std::int32_t>("cell", ratings);
  in.instance = from.input<std::int32_t>("instance", ratings);
  in.cell_weight = from.maybe_input<double>("cell_weight", ratings);
  in.table_float = from.maybe_input<float>("table_float", annotators, grades * nodes);
  in.table_double = from.maybe_input<double>("table_double", annotators, grades * nodes);
  in.log_prior = from.input<double>("log_prior", priors, nodes);
  const TableSums sums{from.output<double>("counts_out", annotators, grades * nodes),
                       from.output<double>("node_counts_out", nodes),
                       from.output<double>("log_z_out", instances),
                       from.maybe_output<double>("posterior_out", instances, nodes)};
  const nb::str isa = from.scalar<nb::str>("isa");
  const int threads = from.scalar<int>("threads");
  from.check_all_known();
  if (!in.table_float == !in.table_double) throw std::invalid_argument("give one table");
  if (!in.weight != !in.cell_weight) throw std::invalid_argument("weight and cell_weight go together");
  if (in.tile_instances < 1) throw std::invalid_argument("a tile holds at least one instance");
  if (in.instance_ptr[in.instances] != static_cast<std::int64_t>(ratings))
    throw std::invalid_argument("instance_ptr does not end where the ratings do");
  const char* name = isa.c_str();
  nb::gil_scoped_release release;
  table_sweep(in, name, threads, sums);
}

}  // namespace

void bind_table(nb::module_& m) {
  using namespace nb::literals;
  m.def("table_tile_instances", &table_tile_instances, "annotators"_a, "grades"_a, "nodes"_a);
  m.def("table_plan", &bind_table_plan, "instance_ptr"_a, "annotator"_a, "grade"_a, "weight"_a.none(),
        nb::kw_only(), "annotators"_a, "grades"_a, "tile_instances"_a, "threads"_a, "cell_out"_a,
        "instance_out"_a, "weight_out"_a.none());
  m.def("table_sweep", &bind_table_sweep);
}

}  // namespace truegrade
