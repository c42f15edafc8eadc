#include "bind_mixture.hpp"

#include "arrays.hpp"
#include "keywords.hpp"
#include "mixture_plan.hpp"
#include "mixture_sweep.hpp"

namespace truegrade {
namespace {

nb::tuple bind_mixture_plan(Vector<std::int64_t> instance_ptr, MaybeVector<std::int64_t> category_ptr,
                            std::int64_t annotators, int threads, VectorOut<std::int32_t> order_out,
                            VectorOut<std::int64_t> window_ptr_out, VectorOut<std::int64_t> chunk_ptr_out) {
  const std::int64_t instances = static_cast<std::int64_t>(instance_ptr.shape(0)) - 1;
  const std::int64_t categories = category_ptr ? static_cast<std::int64_t>(category_ptr->shape(0)) - 1 : 0;
  check_length("order_out", order_out.shape(0), instances);
  check_length("window_ptr_out", window_ptr_out.shape(0),
               mixture_plan_windows(instance_ptr.data()[instances], instances));
  check_length("chunk_ptr_out", chunk_ptr_out.shape(0), kPlanChunks);
  PlanSize size;
  {
    nb::gil_scoped_release release;
    size = mixture_plan(instance_ptr.data(), instances, data_or_null(category_ptr), categories, annotators,
                        threads, order_out.data(), window_ptr_out.data(), chunk_ptr_out.data());
  }
  return nb::make_tuple(size.windows, size.chunks);
}

MixtureInput read_input(Keywords& from) {
  MixtureInput in{};
  in.link = from.code<Link>("link", 2);
  in.responsibility = from.code<Responsibility>("responsibility", 2);
  in.difficulty = from.code<Difficulty>("difficulty", 3);
  const std::size_t ratings = from.length("annotator"), annotators = from.length("tau_mean");
  const std::size_t instances = from.length("z_mean"), grades = from.length("grade_value");
  const std::size_t windows = from.length("window_ptr"), chunks = from.length("chunk_ptr");
  const std::size_t category_ends = from.length("category_ptr");
  in.instances = static_cast<std::int64_t>(instances);
  in.annotators = static_cast<std::int64_t>(annotators);
  in.grades = static_cast<std::int64_t>(grades);
  in.categories = static_cast<std::int64_t>(category_ends ? category_ends - 1 : 0);
  in.chunks = static_cast<std::int64_t>(chunks) - 1;

  in.instance_ptr = from.input<std::int64_t>("instance_ptr", instances + 1);
  in.annotator = from.input<std::int32_t>("annotator", ratings);
  in.grade = from.maybe_input<std::uint8_t>("grade", ratings);
  in.value = from.maybe_input<double>("value", ratings);
  in.weight = from.maybe_input<double>("weight", ratings);
  in.category_ptr = from.maybe_input<std::int64_t>("category_ptr", category_ends);
  if (in.difficulty == Difficulty::kCategory && !in.category_ptr)
    throw std::invalid_argument("category_ptr is missing");
  in.clamped = from.maybe_input<std::uint8_t>("clamped", instances);
  in.order = from.input<std::int32_t>("order", instances);
  in.window_ptr = from.input<std::int64_t>("window_ptr", windows);
  in.chunk_ptr = from.input<std::int64_t>("chunk_ptr", chunks);
  in.tau_mean = from.input<double>("tau_mean", annotators);
  in.tau_log_mean = from.input<double>("tau_log_mean", annotators);
  in.eps_log_mean = from.input<double>("eps_log_mean", annotators);
  in.eps_log1m_mean = from.input<double>("eps_log1m_mean", annotators);
  in.bounds = from.input<double>("bounds", grades + 1);
  in.grade_value = from.input<double>("grade_value", grades);
  in.log_spam = from.input<double>("log_spam", grades);
  in.z_prior_mean = from.scalar<double>("z_prior_mean");
  in.z_prior_precision = from.scalar<double>("z_prior_precision");
  in.delta_prior_shape = from.scalar<double>("delta_prior_shape");
  in.delta_prior_rate = from.scalar<double>("delta_prior_rate");
  in.delta_mean = from.scalar<double>("delta_mean");
  in.delta_log_mean = from.scalar<double>("delta_log_mean");
  return in;
}

void bind_mixture_sweep(const nb::kwargs& arguments) {
  Keywords from(arguments);
  const MixtureInput in = read_input(from);
  const std::size_t instances = from.length("z_mean"), annotators = from.length("tau_mean");
  const std::size_t deltas = in.difficulty == Difficulty::kInstance ? instances
                             : in.difficulty == Difficulty::kCategory
                                 ? static_cast<std::size_t>(in.categories)
                                 : 0;
  const MixtureState state{
      from.output<double>("z_mean", instances), from.output<double>("z_precision", instances),
      from.maybe_output<double>("delta_shape", deltas), from.maybe_output<double>("delta_rate", deltas)};
  const MixtureSums sums{from.output<double>("annotator_out", annotators, 3),
                         from.output<double>("spam_weight_out", from.length("grade_value")),
                         from.output<double>("totals_out", 3),
                         from.maybe_output<double>("responsibility_out", from.length("annotator"))};
  const nb::str isa = from.scalar<nb::str>("isa");
  const int threads = from.scalar<int>("threads");
  from.check_all_known();
  if (in.difficulty != Difficulty::kNone && !(state.delta_shape && state.delta_rate))
    throw std::invalid_argument("delta_shape and delta_rate are missing");
  if (in.instance_ptr[in.instances] != static_cast<std::int64_t>(from.length("annotator")))
    throw std::invalid_argument("instance_ptr does not end where the ratings do");
  const char* name = isa.c_str();
  nb::gil_scoped_release release;
  mixture_sweep(in, name, threads, state, sums);
}

void bind_truncated_normal_moments(Vector<double> lower, Vector<double> upper, Vector<double> mean,
                                   Vector<double> precision, const char* isa, VectorOut<double> log_mass_out,
                                   VectorOut<double> mean_out, VectorOut<double> spread_out) {
  const std::size_t size = lower.shape(0);
  check_length("upper", upper.shape(0), size);
  check_length("mean", mean.shape(0), size);
  check_length("precision", precision.shape(0), size);
  check_length("log_mass_out", log_mass_out.shape(0), size);
  check_length("mean_out", mean_out.shape(0), size);
  check_length("spread_out", spread_out.shape(0), size);
  nb::gil_scoped_release release;
  truncated_normal_moments(lower.data(), upper.data(), mean.data(), precision.data(),
                           static_cast<std::int64_t>(size), isa, log_mass_out.data(), mean_out.data(),
                           spread_out.data());
}

void bind_gamma_functions(Vector<double> shape, const char* isa, VectorOut<double> digamma_out,
                          VectorOut<double> log_gamma_out) {
  check_length("digamma_out", digamma_out.shape(0), shape.shape(0));
  check_length("log_gamma_out", log_gamma_out.shape(0), shape.shape(0));
  nb::gil_scoped_release release;
  gamma_functions(shape.data(), static_cast<std::int64_t>(shape.shape(0)), isa, digamma_out.data(),
                  log_gamma_out.data());
}

}  // namespace

void bind_mixture(nb::module_& m) {
  using namespace nb::literals;
  m.attr("PLAN_CHUNKS") = kPlanChunks;
  m.def("mixture_plan_windows", &mixture_plan_windows, "ratings"_a, "instances"_a);
  m.def("mixture_plan", &bind_mixture_plan, "instance_ptr"_a, "category_ptr"_a.none(), nb::kw_only(),
        "annotators"_a, "threads"_a, "order_out"_a, "window_ptr_out"_a, "chunk_ptr_out"_a);
  m.def("mixture_sweep", &bind_mixture_sweep);
  m.def("truncated_normal_moments", &bind_truncated_normal_moments, "lower"_a, "upper"_a, "mean"_a,
        "precision"_a, nb::kw_only(), "isa"_a, "log_mass_out"_a, "mean_out"_a, "spread_out"_a);
  m.def("gamma_functions", &bind_gamma_functions, "shape"_a, nb::kw_only(), "isa"_a, "digamma_out"_a,
        "log_gamma_out"_a);
}

}  // namespace truegrade
