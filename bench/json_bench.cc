// How quick parsing and printing are, beside Boost.JSON and simdjson in the same run.

#include <fmt/format.h>
#include <simdjson.h>

#include <boost/json.hpp>
#include <chrono>
#include <functional>
#include <string>

#include "json/parse.h"
#include "json/print.h"

namespace proa::json {
namespace {

std::string make_pod(int number) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"web-{0}","namespace":"default",)"
      R"("uid":"7d444840-9dc0-41d1-b245-5ffdce74{0:04}","resourceVersion":"{0}","generation":1,)"
      R"("creationTimestamp":"2026-01-02T15:04:05Z","labels":{{"app":"web","pod-template-hash":"6f7d9c5b4d"}},)"
      R"("ownerReferences":[{{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-6f7d9c5b4d",)"
      R"("uid":"0d9c3f0e-6f0a-4c53-9b8f-3a1e7f2b6c11","controller":true,"blockOwnerDeletion":true}}]}},)"
      R"("spec":{{"containers":[{{"name":"web","image":"registry.example/web:1.2.3","ports":[{{"containerPort":8080,)"
      R"("protocol":"TCP"}}],"env":[{{"name":"GREETING","value":"hello \"world\"\n"}}],"resources":{{"limits":)"
      R"({{"cpu":"500m","memory":"128Mi"}},"requests":{{"cpu":"100m","memory":"64Mi"}}}},"volumeMounts":)"
      R"([{{"name":"token","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}}],)"
      R"("terminationMessagePath":"/dev/termination-log","imagePullPolicy":"IfNotPresent"}}],)"
      R"("restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst",)"
      R"("serviceAccountName":"default","nodeName":"node-17","tolerations":[{{"key":)"
      R"("node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}}]}},)"
      R"("status":{{"phase":"Running","conditions":[{{"type":"Ready","status":"True","lastProbeTime":null,)"
      R"("lastTransitionTime":"2026-01-02T15:04:07Z"}}],"hostIP":"10.0.0.17","podIP":"10.244.3.9",)"
      R"("startTime":"2026-01-02T15:04:05Z","containerStatuses":[{{"name":"web","ready":true,"restartCount":0,)"
      R"("state":{{"running":{{"startedAt":"2026-01-02T15:04:06Z"}}}},"started":true}}],"qosClass":"Burstable"}}}})",
      number);
}

std::string make_list(int pods) {
  std::string text = R"({"kind":"PodList","apiVersion":"v1","items":[)";
  for (int i = 0; i < pods; ++i) text += (i > 0 ? "," : "") + make_pod(i);
  return text + "]}";
}

// Megabytes a second: the best of several rounds, so that a neighbour's burst does not count.
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

void run(const char* name, const std::string& text) {
  const Document document = *parse(text);
  const boost::json::value boost_value = boost::json::parse(text);
  const simdjson::padded_string padded(text);
  simdjson::dom::parser simd_parser;
  size_t sink = 0;

  const double ours = speed(text.size(), [&] { sink += parse(text)->root().size(); });
  const double boost_parse = speed(text.size(), [&] {
    boost::json::monotonic_resource memory;
    sink += boost::json::parse(text, &memory).as_object().size();
  });
  const double simd_parse =
      speed(text.size(), [&] { sink += simd_parser.parse(padded).is_object() ? 1 : 0; });
  std::string out;
  const double print_ours = speed(text.size(), [&] {
    out.clear();
    print_to(out, document.root());
    sink += out.size();
  });
  const double print_boost =
      speed(text.size(), [&] { sink += boost::json::serialize(boost_value).size(); });

  fmt::print("{:<18}{:>9}{:>12.0f}{:>12.0f}{:>14.0f}{:>12.0f}{:>13.0f}{:>12.2f}\n", name,
             text.size(), ours, boost_parse, simd_parse, print_ours, print_boost,
             static_cast<double>(document.memory()) / static_cast<double>(text.size()));
  if (sink == 0) fmt::print("\n");
}

}  // namespace
}  // namespace proa::json

int main() {
  fmt::print("MB/s; simdjson alone reads onto its tape and builds no tree that can be edited\n");
  fmt::print("{:<18}{:>9}{:>12}{:>12}{:>14}{:>12}{:>13}{:>12}\n", "document", "bytes", "parse",
             "boost parse", "simdjson tape", "print", "boost print", "memory/text");
  proa::json::run("pod", proa::json::make_pod(1));
  proa::json::run("list of 500 pods", proa::json::make_list(500));
}
