#include "bind_glad.hpp"

#include "arrays.hpp"
#include "glad_pass.hpp"

namespace truegrade {
namespace {

void bind_glad_pass(Vector<std::int64_t> instance_ptr, Vector<std::int32_t> annotator,
                    Vector<std::uint8_t> grade, MaybeVector<double> weight, MaybeVector<std::int32_t> known,
                    Vector<double> alpha, Vector<double> beta, Vector<double> log_prior, bool settled,
                    int threads, MatrixOut<double> truth, MatrixOut<double> annotator_out,
                    MatrixOut<double> instance_out, VectorOut<double> log_likelihood_out) {
  const std::size_t instances = beta.shape(0), ratings = grade.shape(0);
  check_length("instance_ptr", instance_ptr.shape(0), instances + 1);
  check_length("annotator", annotator.shape(0), ratings);
  check_length("weight", weight, ratings);
  check_length("known", known, instances);
  check_length("truth", truth.shape(0), instances);
  check_length("a row of truth", truth.shape(1), log_prior.shape(0));
  check_length("annotator_out", annotator_out.shape(0), alpha.shape(0));
  check_length("a row of annotator_out", annotator_out.shape(1), 2);
  check_length("instance_out", instance_out.shape(0), instances);
  check_length("a row of instance_out", instance_out.shape(1), 2);
  check_length("log_likelihood_out", log_likelihood_out.shape(0), 1);
  const GladInput in{static_cast<std::int64_t>(instances),
                     static_cast<std::int64_t>(alpha.shape(0)),
                     static_cast<std::int64_t>(log_prior.shape(0)),
                     instance_ptr.data(),
                     annotator.data(),
                     grade.data(),
                     data_or_null(weight),
                     data_or_null(known),
                     alpha.data(),
                     beta.data(),
                     log_prior.data()};
  nb::gil_scoped_release release;
  glad_pass(in, settled, threads, truth.data(), annotator_out.data(), instance_out.data(),
            log_likelihood_out.data());
}

}  // namespace

void bind_glad(nb::module_& m) {
  using namespace nb::literals;
  m.def("glad_pass", &bind_glad_pass, "instance_ptr"_a, "annotator"_a, "grade"_a, "weight"_a.none(),
        "known"_a.none(), "alpha"_a, "beta"_a, "log_prior"_a, nb::kw_only(), "settled"_a, "threads"_a,
        "truth"_a, "annotator_out"_a, "instance_out"_a, "log_likelihood_out"_a);
}

}  // namespace truegrade
