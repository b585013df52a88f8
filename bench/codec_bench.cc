// How quick objects change between JSON and protobuf, each against its type.

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <string>

#include "api/codec/json/decode.h"
#include "api/codec/protobuf/envelope.h"
#include "api/schema/builtin.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::api {
namespace {

constexpr std::string_view kPod =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-1","namespace":"default",)"
    R"("uid":"7d444840-9dc0-41d1-b245-5ffdce740001","resourceVersion":"1","generation":1,)"
    R"("creationTimestamp":"2026-01-02T15:04:05Z","labels":{"app":"web","pod-template-hash":"6f7d9c5b4d"},)"
    R"("ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-6f7d9c5b4d",)"
    R"("uid":"0d9c3f0e-6f0a-4c53-9b8f-3a1e7f2b6c11","controller":true,"blockOwnerDeletion":true}]},)"
    R"("spec":{"volumes":[{"name":"token","projected":{"sources":[{"serviceAccountToken":{)"
    R"("expirationSeconds":3607,"path":"token"}},{"configMap":{"name":"kube-root-ca.crt","items":[{)"
    R"("key":"ca.crt","path":"ca.crt"}]}}],"defaultMode":420}}],)"
    R"("containers":[{"name":"web","image":"registry.example/web:1.2.3","ports":[{"containerPort":8080,)"
    R"("protocol":"TCP"}],"env":[{"name":"GREETING","value":"hello"}],"resources":{"limits":)"
    R"({"cpu":"500m","memory":"128Mi"},"requests":{"cpu":"100m","memory":"64Mi"}},"volumeMounts":)"
    R"([{"name":"token","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],)"
    R"("terminationMessagePath":"/dev/termination-log","imagePullPolicy":"IfNotPresent"}],)"
    R"("restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst",)"
    R"("serviceAccountName":"default","nodeName":"node-17","tolerations":[{"key":)"
    R"("node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]},)"
    R"("status":{"phase":"Running","conditions":[{"type":"Ready","status":"True","lastProbeTime":null,)"
    R"("lastTransitionTime":"2026-01-02T15:04:07Z"}],"hostIP":"10.0.0.17","podIP":"10.244.3.9",)"
    R"("startTime":"2026-01-02T15:04:05Z","containerStatuses":[{"name":"web","ready":true,"restartCount":0,)"
    R"("image":"registry.example/web:1.2.3","imageID":"","state":{"running":{"startedAt":)"
    R"("2026-01-02T15:04:06Z"}},"started":true}],"qosClass":"Burstable"}})";

std::string make_list(int pods) {
  std::string text = R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[)";
  for (int i = 0; i < pods; ++i) text += (i > 0 ? "," : "") + std::string(kPod);
  return text + "]}";
}

// Megabytes of JSON a second: the best of several rounds, so that a neighbour's burst does not
// count.
double speed(size_t bytes, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  double best = 0;
  for (int round = 0; round < 5; ++round) {
    const auto start = Clock::now();
    size_t repeats = 0;
    double seconds = 0;
    do {
      work();
      ++repeats;
      seconds = std::chrono::duration<double>(Clock::now() - start).count();
    } while (seconds < 0.1);
    best = std::max(best, static_cast<double>(bytes * repeats) / seconds / 1e6);
  }
  return best;
}

void run(const char* name, const std::string& text, const Type& type) {
  const json::Document document =
      std::move(decode_json(text, type, FieldValidation::kIgnore)->document);
  const std::string protobuf = *to_enveloped(document.root(), type);
  size_t sink = 0;
  const double parse = speed(text.size(), [&] { sink += json::parse(text)->root().size(); });
  const double decode = speed(text.size(), [&] {
    sink += decode_json(text, type, FieldValidation::kStrict)->document.root().size();
  });
  const double encode =
      speed(text.size(), [&] { sink += to_enveloped(document.root(), type)->size(); });
  const double read = speed(
      text.size(), [&] { sink += from_enveloped(protobuf, builtin_schema())->root().size(); });
  const double transcode = speed(text.size(), [&] {
    sink += json::print(from_enveloped(protobuf, builtin_schema())->root()).size();
  });
  fmt::print("{:<18}{:>10}{:>10}{:>12.0f}{:>14.0f}{:>14.0f}{:>14.0f}{:>16.0f}\n", name, text.size(),
             protobuf.size(), parse, decode, encode, read, transcode);
  if (sink == 0) fmt::print("\n");
}

}  // namespace
}  // namespace proa::api

int main() {
  using namespace proa::api;
  const auto start = std::chrono::steady_clock::now();
  const Schema& schema = builtin_schema();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  fmt::print("schema of {} types read in {:.1f} ms, {} kB\n", schema.types().size(), took.count(),
             schema.memory() / 1000);
  fmt::print("MB of JSON a second; decode includes parse\n");
  fmt::print("{:<18}{:>10}{:>10}{:>12}{:>14}{:>14}{:>14}{:>16}\n", "object", "json", "protobuf",
             "parse", "decode", "to protobuf", "from protobuf", "protobuf->json");
  run("pod", std::string(kPod), *schema.find_kind("v1", "Pod"));
  run("list of 500 pods", make_list(500), *schema.find_kind("v1", "PodList"));
}
