#include "apiserver/front/paths/slis.h"

#include "apiserver/front/paths/exposition.h"
#include "apiserver/representation/status.h"
#include "apiserver/request/failures.h"

namespace proa::apiserver {
namespace slis {

constexpr MetricFamily kLast{"kubernetes_healthcheck",
                             "[STABLE] This metric records the result of a single healthcheck.",
                             MetricKind::kGauge,
                             {"name", "type"}};
constexpr MetricFamily kTotal{"kubernetes_healthchecks_total",
                              "[STABLE] This metric records the results of all healthcheck.",
                              MetricKind::kCounter,
                              {"name", "type", "status"}};

}  // namespace slis

SlisPath::SlisPath() : last_(slis::kLast), total_(slis::kTotal) {}

void SlisPath::observe(std::string_view check, std::string_view endpoint, bool ok) {
  last_.at({check, endpoint}).set(ok ? 1 : 0);
  total_.at({check, endpoint, ok ? "success" : "error"}).add();
}

std::optional<http::Response> SlisPath::answer(const http::RequestHead& head,
                                               const http::Target& target) {
  if (sent_path_of(target) != "/metrics/slis") return std::nullopt;
  // As /metrics.
  if (head.method == "DELETE") return status_response(method_not_allowed());
  MetricsText text;
  last_.write(text);
  total_.write(text);
  add_process_start(text);
  return exposition(head, text.take());
}

}  // namespace proa::apiserver
