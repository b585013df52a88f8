#include "crd/workloads.h"

#include <fmt/format.h>

#include <atomic>
#include <utility>

namespace proa::crd_bench {
namespace workloads {

// Names of objects, over all workloads.
std::string next_name() {
  static std::atomic<size_t> count = 0;
  return fmt::format("object-{}", count++);
}

constexpr std::string_view kValue = R"("example.com/change":")";

std::string value_text(size_t value) { return fmt::format("{:08}", value); }

// As a user applies it.
std::string deployment(std::string_view name, size_t value) {
  return fmt::format(
      R"({{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"{}","labels":{{"app":"web","tier":"front"}},)"
      R"("annotations":{{{}{}"}}}},"spec":{{"replicas":3,"selector":{{"matchLabels":{{"app":"web"}}}},"template":{{)"
      R"("metadata":{{"labels":{{"app":"web","tier":"front"}}}},"spec":{{"containers":[{{"name":"web","image":"registry.example/web:1.2.3",)"
      R"("args":["--listen=:8080","--metrics=:9090"],"ports":[{{"name":"http","containerPort":8080}},{{"name":"metrics","containerPort":9090}}],)"
      R"("env":[{{"name":"LOG_LEVEL","value":"info"}},{{"name":"REGION","value":"eu-1"}}],)"
      R"("resources":{{"requests":{{"cpu":"100m","memory":"128Mi"}},"limits":{{"memory":"256Mi"}}}},)"
      R"("readinessProbe":{{"httpGet":{{"path":"/ready","port":"http"}}}},"volumeMounts":[{{"name":"config","mountPath":"/etc/web"}}]}},)"
      R"({{"name":"sidecar","image":"registry.example/sidecar:1"}}],"volumes":[{{"name":"config","configMap":{{"name":"web"}}}}]}}}}}}}})",
      name, kValue, value_text(value));
}

}  // namespace workloads

const load::Request* Each::next(size_t) {
  return sent_ == requests_.size() ? nullptr : &requests_[sent_++];
}

Until::Until(std::vector<std::string> paths, size_t slots, Good good)
    : open_(std::move(paths)), requests_(slots), good_(std::move(good)) {}

const load::Request* Until::next(size_t slot) {
  if (open_.empty()) return nullptr;
  requests_[slot].path = std::move(open_.back());
  open_.pop_back();
  return &requests_[slot];
}

void Until::answered(size_t slot, int status, std::string_view body) {
  if (!good_(status, body)) open_.push_back(requests_[slot].path);
}

Posts::Posts(const std::string& path, size_t slots, Body body)
    : body_(std::move(body)), requests_(slots) {
  for (load::Request& request : requests_) {
    request.method = "POST";
    request.path = path;
  }
}

const load::Request* Posts::next(size_t slot) {
  requests_[slot].body = body_(workloads::next_name());
  return &requests_[slot];
}

DeploymentWrites::DeploymentWrites(const load::Target& target, Way way, size_t slots)
    : way_(way), slots_(slots) {
  for (size_t i = 0; i < slots; ++i) {
    Slot& slot = slots_[i];
    const std::string name = workloads::next_name();
    const std::string path = "/apis/apps/v1/namespaces/default/deployments/" + name;
    slot.request = {.method = "PATCH",
                    .path = path + "?fieldManager=bench&force=true",
                    .content_type = "application/apply-patch+yaml",
                    .body = workloads::deployment(name, 0)};
    slot.current = ask(target, slot.request);
    if (way == Way::kUpdate) slot.request = {.method = "PUT", .path = path, .body = {}};
  }
}

const load::Request* DeploymentWrites::next(size_t slot) {
  Slot& writer = slots_[slot];
  if (way_ == Way::kUpdate) writer.request.body = std::move(writer.current);
  const std::string value = workloads::value_text(++writer.count);
  const size_t at = writer.request.body.find(workloads::kValue);
  if (at == std::string::npos) load::fail("an answer without the annotation");
  writer.request.body.replace(at + workloads::kValue.size(), value.size(), value);
  return &writer.request;
}

void DeploymentWrites::answered(size_t slot, int status, std::string_view body) {
  Workload::answered(slot, status, body);
  if (way_ == Way::kUpdate) slots_[slot].current = body;
}

Cost cost_of(const load::Subject& subject, const load::Shape& shape, load::Workload& workload,
             double seconds) {
  load::Meter meter(subject.pid);
  const load::Outcome outcome = run_closed_loop(subject.target, shape, workload, seconds, meter);
  return {.per_second = outcome.per_second(),
          .server_micros = meter.server_seconds() * 1e6 / static_cast<double>(outcome.answers),
          .others = meter.others()};
}

}  // namespace proa::crd_bench
