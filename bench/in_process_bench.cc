// What a write by a component in the server's own process costs: processor time of creating a pod,
// binding it, and updating its status, from the object as the component built it until the write is
// durable and the component has the answer.
//   in_process_bench [--quick] [SECTION ...]      sections: create, bind, status
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "api/object/edit.h"
#include "api/schema/builtin.h"
#include "base/check.h"
#include "base/threads/group.h"
#include "base/threads/pool.h"
#include "json/parse.h"
#include "load/meter.h"
#include "load/report.h"
#include "store/rocks/rocks_store.h"
#include "testkit/apiserver/running_api.h"
#include "testkit/http/test_server.h"
#include "testkit/process.h"

namespace proa::load {
namespace in_process_bench {

constexpr int kCallers = 16;
constexpr int kRounds = 5;

// A pod as a ReplicaSet creates it.
constexpr std::string_view kPod = R"({
  "apiVersion": "v1", "kind": "Pod",
  "metadata": {"generateName": "web-5d78c9869d-", "namespace": "default",
    "labels": {"app": "web", "tier": "front", "pod-template-hash": "5d78c9869d"},
    "annotations": {"prometheus.io/scrape": "true", "prometheus.io/port": "9090"},
    "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-5d78c9869d",
      "uid": "0f5e7a52-9df3-4c3e-8a51-7e8f6a0f1c11", "controller": true, "blockOwnerDeletion": true}]},
  "spec": {
    "containers": [{"name": "web", "image": "registry.example/web:1.2.3",
      "args": ["--listen=:8080", "--metrics=:9090"],
      "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"},
        {"name": "metrics", "containerPort": 9090, "protocol": "TCP"}],
      "env": [{"name": "POD_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}},
        {"name": "LOG_LEVEL", "value": "info"}, {"name": "REGION", "value": "eu-1"}],
      "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
      "readinessProbe": {"httpGet": {"path": "/ready", "port": "http", "scheme": "HTTP"},
        "timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3},
      "volumeMounts": [{"name": "config", "mountPath": "/etc/web"}, {"name": "cache", "mountPath": "/cache"}],
      "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
      "imagePullPolicy": "IfNotPresent"}],
    "volumes": [{"name": "config", "configMap": {"name": "web", "defaultMode": 420}},
      {"name": "cache", "emptyDir": {}}],
    "restartPolicy": "Always", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst",
    "securityContext": {}, "schedulerName": "default-scheduler"}})";

// What a kubelet says of a pod that runs.
constexpr std::string_view kStatus = R"({
  "phase": "Running", "hostIP": "192.0.2.10", "podIP": "10.42.0.17", "startTime": "2026-01-02T03:04:05Z",
  "hostIPs": [{"ip": "192.0.2.10"}], "podIPs": [{"ip": "10.42.0.17"}],
  "conditions": [
    {"type": "Initialized", "status": "True", "lastTransitionTime": "2026-01-02T03:04:05Z"},
    {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-02T03:04:07Z"},
    {"type": "ContainersReady", "status": "True", "lastTransitionTime": "2026-01-02T03:04:07Z"},
    {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-01-02T03:04:04Z"}],
  "containerStatuses": [{"name": "web", "ready": true, "started": true, "restartCount": 0,
    "image": "registry.example/web:1.2.3", "imageID": "sha256:52f2", "containerID": "containerd://8d1c",
    "state": {"running": {"startedAt": "2026-01-02T03:04:06Z"}}}],
  "qosClass": "Burstable"})";

// An API server over a store on disk, and a client in its process.
class World {
 public:
  explicit World(const std::string& directory)
      : store_(store::open_rocks_store(directory, clock_, random_).value()) {
    apiserver::AccessOptions access = testkit::access_for(testkit::test_authority());
    access.plugins.disabled.emplace_back("ServiceAccount");  // no controller creates them here
    api_ = apiserver::ApiServer::start(*store_, clock_, random_,
                                       {.access = std::move(access),
                                        .version_document = "{}",
                                        .advertise_address = "192.0.2.1"})
               .value();
    client_ = api_->client({.name = "admin", .uid = {}, .groups = {"system:masters"}, .extra = {}});
  }

  client::Place pods(std::string name = {}, std::string part = {}) const {
    return {.resource = pods_,
            .name_space = "default",
            .name = std::move(name),
            .subresource = std::move(part)};
  }

  std::string create() {
    const auto made = client_->create(pods(), pod_.copy(), {}, {});
    if (!made) fmt::print(stderr, "{}\n", made.status().message());
    CHECK(made.ok());
    return std::string(made.value()->metadata().name);
  }
  void bind(const std::string& name) {
    json::Document binding =
        json::parse_literal(R"({"metadata":{"name":")" + name +
                            R"("},"target":{"apiVersion":"v1","kind":"Node","name":"node-1"}})");
    const auto bound = client_->create(pods(name, "binding"), std::move(binding), {}, {});
    if (!bound) fmt::print(stderr, "{}\n", bound.status().message());
    CHECK(bound.ok());
  }
  void update_status(const std::string& name) {
    json::Document next = client_->get(pods(name), {}).value()->document().value();
    api::Edit(next).copy("status", api::View(&status_.root()));
    const auto updated = client_->update(pods(name, "status"), std::move(next), {}, {});
    if (!updated) fmt::print(stderr, "{}\n", updated.status().message());
    CHECK(updated.ok());
  }
  // Several at once, as workers of a controller do it.
  void each(size_t count, const std::function<void(size_t)>& call) {
    Group group(pool_, clock_);
    std::atomic<size_t> next = 0;
    for (int i = 0; i < kCallers; ++i) {
      group.run([&](const std::stop_token&) -> Result<void> {
        for (size_t n = next++; n < count; n = next++) call(n);
        return {};
      });
    }
    CHECK(group.wait().ok());
  }

 private:
  SystemClock clock_;
  SystemRandom random_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<apiserver::ApiServer> api_;
  std::unique_ptr<client::Client> client_;
  WorkerPool pool_;
  const api::Resource* const pods_ = api::builtin_schema().find_resource("", "v1", "pods");
  const json::Document pod_ = json::parse_literal(kPod);
  const json::Document status_ = json::parse_literal(kStatus);
};

// One round: `count` calls. The value is processor time a call.
Round measure(World& world, size_t count, const std::function<void(size_t)>& call) {
  Meter meter(getpid());
  meter.start();
  world.each(count, call);
  meter.stop();
  const double micros = meter.server_seconds() * 1e6 / static_cast<double>(count);
  return {.value = micros, .server_micros = micros, .others = meter.others()};
}

int run(std::vector<std::string> sections) {
  const size_t count = std::erase(sections, "--quick") > 0 ? 1'000 : 10'000;
  const auto is_wanted = [&](std::string_view section) {
    return sections.empty() || std::ranges::find(sections, section) != sections.end();
  };
  std::vector<Round> creates;
  std::vector<Round> bindings;
  std::vector<Round> updates;
  for (int i = 0; i < kRounds; ++i) {
    const testkit::TempDir folder;
    World world(folder.file("store"));
    std::vector<std::string> names(count);
    const auto create = [&](size_t n) { names[n] = world.create(); };
    creates.push_back(measure(world, count, create));
    if (is_wanted("bind")) {
      bindings.push_back(measure(world, count, [&](size_t n) { world.bind(names[n]); }));
    }
    if (is_wanted("status")) {
      updates.push_back(measure(world, count, [&](size_t n) { world.update_status(names[n]); }));
    }
  }
  Table table("Writes of components in the server's process", "us CPU", "call", 1);
  if (is_wanted("create")) table.row("create a pod", creates);
  if (!bindings.empty()) table.row("bind it", bindings);
  if (!updates.empty()) table.row("update its status", updates);
  return 0;
}

}  // namespace in_process_bench
}  // namespace proa::load

int main(int argc, char** argv) {
  return proa::load::in_process_bench::run(std::vector<std::string>(argv + 1, argv + argc));
}
