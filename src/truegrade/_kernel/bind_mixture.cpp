#include "bind_mixture.hpp"

#include "arrays.hpp"
#include "mixture_plan.hpp"
#include "mixture_sweep.hpp"

namespace truegrade {
namespace {

template <class T>
using MaybeVectorOut = std::optional<VectorOut<T>>;

void check_code(const char* name, int code, int codes) {
  if (code < 0 || code >= codes) throw std::invalid_argument(std::string(name) + " is no known code");
}

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

void bind_mixture_sweep(Vector<std::int64_t> instance_ptr, Vector<std::int32_t> annotator,
                        MaybeVector<std::uint8_t> grade, MaybeVector<double> value,
                        MaybeVector<double> weight, MaybeVector<std::int64_t> category_ptr,
                        MaybeVector<std::uint8_t> clamped, Vector<std::int32_t> order,
                        Vector<std::int64_t> window_ptr, Vector<std::int64_t> chunk_ptr,
                        Vector<double> tau_mean, Vector<double> tau_log_mean, Vector<double> eps_log_mean,
                        Vector<double> eps_log1m_mean, Vector<double> bounds, Vector<double> grade_value,
                        Vector<double> log_spam, double z_prior_mean, double z_prior_precision,
                        double delta_prior_shape, double delta_prior_rate, double delta_mean,
                        double delta_log_mean, int link, int responsibility, int difficulty, const char* isa,
                        int threads, VectorOut<double> z_mean, VectorOut<double> z_precision,
                        MaybeVectorOut<double> delta_shape, MaybeVectorOut<double> delta_rate,
                        MatrixOut<double> annotator_out, VectorOut<double> spam_weight_out,
                        VectorOut<double> totals_out, MaybeVectorOut<double> responsibility_out) {
  const std::size_t ratings = annotator.shape(0), annotators = tau_mean.shape(0),
                    grades = grade_value.shape(0);
  const std::size_t instances = z_mean.shape(0);
  check_code("link", link, 2);
  check_code("responsibility", responsibility, 2);
  check_code("difficulty", difficulty, 3);
  check_length("instance_ptr", instance_ptr.shape(0), instances + 1);
  check_length("annotator", ratings, instance_ptr.data()[instances]);
  check_length("grade", grade, ratings);
  check_length("value", value, ratings);
  check_length("weight", weight, ratings);
  check_length("clamped", clamped, instances);
  check_length("order", order.shape(0), instances);
  check_length("tau_log_mean", tau_log_mean.shape(0), annotators);
  check_length("eps_log_mean", eps_log_mean.shape(0), annotators);
  check_length("eps_log1m_mean", eps_log1m_mean.shape(0), annotators);
  check_length("bounds", bounds.shape(0), grades + 1);
  check_length("log_spam", log_spam.shape(0), grades);
  check_length("z_precision", z_precision.shape(0), instances);
  check_length("annotator_out", annotator_out.shape(0), annotators);
  check_length("annotator_out's rows", annotator_out.shape(1), 3);
  check_length("spam_weight_out", spam_weight_out.shape(0), grades);
  check_length("totals_out", totals_out.shape(0), 3);
  if (responsibility_out) check_length("responsibility_out", responsibility_out->shape(0), ratings);
  const auto mode = static_cast<Difficulty>(difficulty);
  const std::size_t categories = category_ptr ? category_ptr->shape(0) - 1 : 0;
  if (mode != Difficulty::kNone) {
    const std::size_t deltas = mode == Difficulty::kInstance ? instances : categories;
    check_length("delta_shape", delta_shape ? delta_shape->shape(0) : 0, deltas);
    check_length("delta_rate", delta_rate ? delta_rate->shape(0) : 0, deltas);
  }
  if (mode == Difficulty::kCategory && !category_ptr) throw std::invalid_argument("category_ptr is missing");

  const MixtureInput input{static_cast<Link>(link),
                           static_cast<Responsibility>(responsibility),
                           mode,
                           static_cast<std::int64_t>(instances),
                           static_cast<std::int64_t>(annotators),
                           static_cast<std::int64_t>(grades),
                           static_cast<std::int64_t>(categories),
                           instance_ptr.data(),
                           annotator.data(),
                           data_or_null(grade),
                           data_or_null(value),
                           data_or_null(weight),
                           data_or_null(category_ptr),
                           data_or_null(clamped),
                           order.data(),
                           window_ptr.data(),
                           chunk_ptr.data(),
                           static_cast<std::int64_t>(chunk_ptr.shape(0)) - 1,
                           tau_mean.data(),
                           tau_log_mean.data(),
                           eps_log_mean.data(),
                           eps_log1m_mean.data(),
                           bounds.data(),
                           grade_value.data(),
                           log_spam.data(),
                           z_prior_mean,
                           z_prior_precision,
                           delta_prior_shape,
                           delta_prior_rate,
                           delta_mean,
                           delta_log_mean};
  const MixtureState state{z_mean.data(), z_precision.data(), delta_shape ? delta_shape->data() : nullptr,
                           delta_rate ? delta_rate->data() : nullptr};
  const MixtureSums sums{annotator_out.data(), spam_weight_out.data(), totals_out.data(),
                         responsibility_out ? responsibility_out->data() : nullptr};
  nb::gil_scoped_release release;
  mixture_sweep(input, isa, threads, state, sums);
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
  m.def("best_isa", &best_isa);
  m.attr("PLAN_CHUNKS") = kPlanChunks;
  m.def("mixture_plan_windows", &mixture_plan_windows, "ratings"_a, "instances"_a);
  m.def("mixture_plan", &bind_mixture_plan, "instance_ptr"_a, "category_ptr"_a.none(), nb::kw_only(),
        "annotators"_a, "threads"_a, "order_out"_a, "window_ptr_out"_a, "chunk_ptr_out"_a);
  m.def("mixture_sweep", &bind_mixture_sweep, "instance_ptr"_a, "annotator"_a, "grade"_a.none(),
        "value"_a.none(), "weight"_a.none(), "category_ptr"_a.none(), "clamped"_a.none(), nb::kw_only(),
        "order"_a, "window_ptr"_a, "chunk_ptr"_a, "tau_mean"_a, "tau_log_mean"_a, "eps_log_mean"_a,
        "eps_log1m_mean"_a, "bounds"_a, "grade_value"_a, "log_spam"_a, "z_prior_mean"_a,
        "z_prior_precision"_a, "delta_prior_shape"_a, "delta_prior_rate"_a, "delta_mean"_a,
        "delta_log_mean"_a, "link"_a, "responsibility"_a, "difficulty"_a, "isa"_a, "threads"_a, "z_mean"_a,
        "z_precision"_a, "delta_shape"_a.none(), "delta_rate"_a.none(), "annotator_out"_a,
        "spam_weight_out"_a, "totals_out"_a, "responsibility_out"_a.none());
  m.def("truncated_normal_moments", &bind_truncated_normal_moments, "lower"_a, "upper"_a, "mean"_a,
        "precision"_a, nb::kw_only(), "isa"_a, "log_mass_out"_a, "mean_out"_a, "spread_out"_a);
  m.def("gamma_functions", &bind_gamma_functions, "shape"_a, nb::kw_only(), "isa"_a, "digamma_out"_a,
        "log_gamma_out"_a);
}

}  // namespace truegrade
