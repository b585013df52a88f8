// What a write by a component in the server's own process costs: processor time of creating a pod,
// binding it, updating its status, updating and applying a Deployment, and renewing a lease, from
// the object as the component built it until the write is durable and the component has the answer.
//   in_process_bench [--quick] [SECTION ...]      sections: create, bind, status, apply, lease
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

// As a user applies it.
constexpr std::string_view kDeployment = R"({
  "apiVersion": "apps/v1", "kind": "Deployment",
  "metadata": {"name": "web", "namespace": "default", "labels": {"app": "web", "tier": "front"},
    "annotations": {"example.com/owner": "team-a"}},
  "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "web"}},
    "template": {"metadata": {"labels": {"app": "web", "tier": "front"}},
      "spec": {
        "containers": [{"name": "web", "image": "registry.example/web:1.2.3",
          "args": ["--listen=:8080", "--metrics=:9090"],
          "ports": [{"name": "http", "containerPort": 8080}, {"name": "metrics", "containerPort": 9090}],
          "env": [{"name": "LOG_LEVEL", "value": "info"}, {"name": "REGION", "value": "eu-1"}],
          "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
          "readinessProbe": {"httpGet": {"path": "/ready", "port": "http"}},
          "volumeMounts": [{"name": "config", "mountPath": "/etc/web"}]},
          {"name": "sidecar", "image": "registry.example/sidecar:1"}],
        "volumes": [{"name": "config", "configMap": {"name": "web"}}]}}}})";

constexpr std::string_view kLease = R"({
  "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
  "metadata": {"name": "node", "namespace": "kube-node-lease",
    "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "node-1",
      "uid": "0f5e7a52-9df3-4c3e-8a51-7e8f6a0f1c11"}]},
  "spec": {"holderIdentity": "node-1", "leaseDurationSeconds": 40,
    "renewTime": "2026-01-02T03:04:05.000000Z"}})";

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
  // The name of the n-th; each is written by one caller at a time.
  client::Place deployment(size_t n) const {
    return {.resource = deployments_,
            .name_space = "default",
            .name = fmt::format("web-{}", n),
            .subresource = {}};
  }
  void apply(size_t n, int64_t replicas) {
    json::Document config = deployment_.copy();
    const client::Place place = deployment(n);
    api::Edit(config).object("metadata").set("name", place.name);
    api::Edit(config).object("spec").set("replicas", replicas);
    const auto applied = client_->patch(place, api::PatchType::kApply, std::move(config),
                                        {.dry_run = false, .field_manager = "team"}, {});
    if (!applied) fmt::print(stderr, "{}\n", applied.status().message());
    CHECK(applied.ok());
  }
  // A field that nobody applies.
  void update(size_t n, int64_t seconds) {
    const client::Place place = deployment(n);
    json::Document next = client_->get(place, {}).value()->document().value();
    api::Edit(next).object("spec").set("minReadySeconds", seconds);
    const auto updated =
        client_->update(place, std::move(next), {.dry_run = false, .field_manager = "team"}, {});
    if (!updated) fmt::print(stderr, "{}\n", updated.status().message());
    CHECK(updated.ok());
  }
  client::Place lease(size_t n) const {
    return {.resource = leases_,
            .name_space = "kube-node-lease",
            .name = fmt::format("node-{}", n),
            .subresource = {}};
  }
  void create_lease(size_t n) {
    json::Document made = lease_.copy();
    api::Edit(made).object("metadata").set("name", lease(n).name);
    CHECK(client_->create(lease(n), std::move(made), {}, {}).ok());
  }
  void renew(size_t n, int64_t second) {
    json::Document next = client_->get(lease(n), {}).value()->document().value();
    api::Edit(next).object("spec").set("renewTime",
                                       fmt::format("2026-01-02T03:05:{:02}.000000Z", second));
    CHECK(client_->update(lease(n), std::move(next), {}, {}).ok());
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
  const api::Resource* const deployments_ =
      api::builtin_schema().find_resource("apps", "v1", "deployments");
  const api::Resource* const leases_ =
      api::builtin_schema().find_resource("coordination.k8s.io", "v1", "leases");
  const json::Document deployment_ = json::parse_literal(kDeployment);
  const json::Document lease_ = json::parse_literal(kLease);
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

// The rounds of each row, in the order of the table.
struct Rounds {
  std::vector<Round> create;
  std::vector<Round> bind;
  std::vector<Round> status;
  std::vector<Round> update;
  std::vector<Round> apply;
  std::vector<Round> apply_same;
  std::vector<Round> renew;
};

void measure_pods(World& world, size_t count, bool binds, bool reports, Rounds& rounds) {
  std::vector<std::string> names(count);
  rounds.create.push_back(measure(world, count, [&](size_t n) { names[n] = world.create(); }));
  if (binds) {
    rounds.bind.push_back(measure(world, count, [&](size_t n) { world.bind(names[n]); }));
  }
  if (reports) {
    rounds.status.push_back(
        measure(world, count, [&](size_t n) { world.update_status(names[n]); }));
  }
}

void measure_deployments(World& world, size_t count, Rounds& rounds) {
  world.each(count, [&](size_t n) { world.apply(n, 1); });
  world.each(count, [&](size_t n) { world.update(n, 1); });
  rounds.update.push_back(measure(world, count, [&](size_t n) { world.update(n, 2); }));
  rounds.apply.push_back(measure(world, count, [&](size_t n) { world.apply(n, 3); }));
  rounds.apply_same.push_back(measure(world, count, [&](size_t n) { world.apply(n, 3); }));
}

void measure_leases(World& world, size_t count, Rounds& rounds) {
  world.each(count, [&](size_t n) { world.create_lease(n); });
  rounds.renew.push_back(measure(world, count, [&](size_t n) { world.renew(n, 10); }));
}

int run(std::vector<std::string> sections) {
  const size_t count = std::erase(sections, "--quick") > 0 ? 1'000 : 10'000;
  const auto is_wanted = [&](std::string_view section) {
    return sections.empty() || std::ranges::find(sections, section) != sections.end();
  };
  const bool pods = is_wanted("create") || is_wanted("bind") || is_wanted("status");
  Rounds rounds;
  for (int i = 0; i < kRounds; ++i) {
    const testkit::TempDir folder;
    World world(folder.file("store"));
    if (pods) measure_pods(world, count, is_wanted("bind"), is_wanted("status"), rounds);
    if (is_wanted("apply")) measure_deployments(world, count, rounds);
    if (is_wanted("lease")) measure_leases(world, count, rounds);
  }
  Table table("Writes of components in the server's process", "us CPU", "call", 1);
  const auto show = [&](const char* name, const std::vector<Round>& row) {
    if (!row.empty()) table.row(name, row);
  };
  show("create a pod", rounds.create);
  show("bind it", rounds.bind);
  show("update its status", rounds.status);
  show("update a Deployment", rounds.update);
  show("apply it with a change", rounds.apply);
  show("apply it again", rounds.apply_same);
  show("renew a lease", rounds.renew);
  return 0;
}

}  // namespace in_process_bench
}  // namespace proa::load

int main(int argc, char** argv) {
  return proa::load::in_process_bench::run(std::vector<std::string>(argv + 1, argv + argc));
}
