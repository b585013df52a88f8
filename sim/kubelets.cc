#include "sim/kubelets.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/time.h"
#include "controllers/pods/pod_facts.h"
#include "controllers/storage/pod_claims.h"
#include "json/parse.h"

namespace proa::sim {
namespace kubelets {

using api::View;
using controllers::PodFacts;
using controllers::PodPhase;

// Pods of a DaemonSet name their node in the node affinity.
std::string_view wanted_node(View pod) {
  const View terms =
      pod.at("spec.affinity.nodeAffinity")["requiredDuringSchedulingIgnoredDuringExecution"]
                                          ["nodeSelectorTerms"];
  for (const View term : terms.items()) {
    for (const View field : term["matchFields"].items()) {
      if (field["key"].text() == "metadata.name") return field["values"].item(0).text();
    }
  }
  return {};
}

std::string first_container(View pod) {
  return std::string(pod.at("spec.containers").item(0)["name"].text());
}

// Parsed once per state of a pod: most are inspected repeatedly without changes.
bool runs_forever(const api::Object& pod) {
  struct Facts {
    bool forever;
  };
  const auto read = [&pod] {
    const json::Document document = pod.document().value();
    return Facts{View(document.root()).at("spec.restartPolicy").text() == "Always"};
  };
  return pod.kept<Facts>(read).forever;
}

std::string ready_condition(bool ready, const std::string& now) {
  const char* text = ready ? "True" : "False";
  return fmt::format(R"([{{"type":"Initialized","status":"True","lastTransitionTime":"{1}"}},)"
                     R"({{"type":"Ready","status":"{0}","lastTransitionTime":"{1}"}},)"
                     R"({{"type":"ContainersReady","status":"{0}","lastTransitionTime":"{1}"}},)"
                     R"({{"type":"PodScheduled","status":"True","lastTransitionTime":"{1}"}}])",
                     text, now);
}

std::string ended(std::string_view phase, int code, const std::string& name,
                  const std::string& now) {
  return fmt::format(
      R"({{"phase":"{0}","conditions":{3},"containerStatuses":[{{"name":"{2}","image":"i","imageID":"i",)"
      R"("ready":false,"restartCount":0,"state":{{"terminated":{{"exitCode":{1},"finishedAt":"{4}"}}}}}}]}})",
      phase, code, name, ready_condition(false, now), now);
}

}  // namespace kubelets

Kubelets::Kubelets(Cluster& cluster, size_t nodes) : cluster_(cluster) {
  for (size_t i = 0; i < nodes; ++i) register_node(fmt::format("node-{}", i));
}

void Kubelets::register_node(const std::string& name) {
  const std::string now = format_time(cluster_.world().clock().now());
  cluster_.world().create("", "nodes", "", fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name));
  cluster_.world().patch(
      "", "nodes", "", name,
      fmt::format(R"({{"status":{{"allocatable":{{"cpu":"8","memory":"16Gi","pods":"110"}},)"
                  R"("addresses":[{{"type":"InternalIP","address":"192.0.2.{1}"}}],)"
                  R"("conditions":[{{"type":"Ready","status":"True","reason":"KubeletReady",)"
                  R"("lastHeartbeatTime":"{0}","lastTransitionTime":"{0}"}}]}}}})",
                  now, nodes_.size() + 1),
      "status");
  leases_.push_back(cluster_.world().create(
      "coordination.k8s.io", "leases", "kube-node-lease",
      fmt::format(R"({{"metadata":{{"name":"{0}"}},"spec":{{"holderIdentity":"{0}"}}}})", name)));
  nodes_.push_back(name);
}

void Kubelets::renew() {
  const std::string now = format_micro_time(cluster_.world().clock().now());
  client::Place place =
      cluster_.world().place("coordination.k8s.io", "leases", "kube-node-lease", "");
  for (api::ObjectPtr& lease : leases_) {
    place.name = lease->metadata().name;
    std::string renewed = fmt::format(
        R"({{"apiVersion":"coordination.k8s.io/v1","kind":"Lease",)"
        R"("metadata":{{"name":"{0}","namespace":"kube-node-lease","resourceVersion":"{1}"}},)"
        R"("spec":{{"holderIdentity":"{0}","renewTime":"{2}"}}}})",
        place.name, lease->metadata().resource_version, now);
    lease = cluster_.world().client().update(place, json::parse_literal(renewed), {}, {}).value();
  }
}

bool Kubelets::act() {
  const std::vector<api::ObjectPtr> pods = cluster_.list("", "pods");
  if (pods.empty()) return false;
  const size_t first = cluster_.below(pods.size());
  for (size_t i = 0; i < pods.size(); ++i) {
    if (advance(*pods[(first + i) % pods.size()])) return true;
  }
  return false;
}

bool Kubelets::advance(const api::Object& pod) {
  using kubelets::PodPhase;
  const controllers::PodFacts& facts = controllers::pod_facts(pod);
  if (facts.being_deleted) return !facts.node.empty() && remove(pod);
  if (facts.node.empty()) return bind(pod);
  if (facts.phase == PodPhase::kPending) return run(pod);
  if (facts.phase != PodPhase::kRunning) return false;
  if (!kubelets::runs_forever(pod)) return finish(pod);
  const std::string now = format_time(cluster_.world().clock().now());
  if (!facts.ready) {
    return set_status(pod,
                      fmt::format(R"({{"conditions":{}}})", kubelets::ready_condition(true, now)));
  }
  if (!failures_ || cluster_.below(20) != 0) return false;
  if (cluster_.below(2) == 0) {
    return set_status(pod,
                      fmt::format(R"({{"conditions":{}}})", kubelets::ready_condition(false, now)));
  }
  const json::Document document = pod.document().value();
  const std::string container = kubelets::first_container(document.root());
  return set_status(pod, kubelets::ended("Failed", 1, container, now));
}

// Pods whose claims are missing or being deleted are not scheduled.
bool Kubelets::claims_there(const api::Object& pod) {
  for (const auto& use : controllers::storage::pod_claims(pod).uses) {
    const api::ObjectPtr claim = cluster_.get("", "persistentvolumeclaims", use.claim);
    if (claim == nullptr || claim->metadata().being_deleted) return false;
  }
  return true;
}

bool Kubelets::bind(const api::Object& pod) {
  if (!claims_there(pod)) return false;
  const json::Document document = pod.document().value();
  std::string node(kubelets::wanted_node(document.root()));
  if (node.empty()) node = nodes_[cluster_.below(nodes_.size())];
  client::Place place =
      cluster_.world().place("", "pods", Cluster::kNamespace, pod.metadata().name);
  place.subresource = "binding";
  const std::string binding =
      fmt::format(R"({{"metadata":{{"name":"{}"}},"target":{{"kind":"Node","name":"{}"}}}})",
                  pod.metadata().name, node);
  return cluster_.world().client().create(place, json::parse_literal(binding), {}, {}).ok();
}

bool Kubelets::run(const api::Object& pod) {
  const std::string now = format_time(cluster_.world().clock().now());
  ++addresses_;
  return set_status(pod, fmt::format(R"({{"phase":"Running","startTime":"{0}","conditions":{1},)"
                                     R"("podIP":"{2}","podIPs":[{{"ip":"{2}"}}]}})",
                                     now, kubelets::ready_condition(true, now),
                                     fmt::format("10.{}.{}.{}", 1 + addresses_ / 65536 % 250,
                                                 addresses_ / 256 % 256, addresses_ % 256)));
}

bool Kubelets::finish(const api::Object& pod) {
  const bool fails = failures_ && cluster_.below(3) == 0;
  const json::Document document = pod.document().value();
  const api::View root = document.root();
  const bool restarts = root.at("spec.restartPolicy").text() == "OnFailure";
  if (fails && restarts && !pod.metadata().being_deleted) return restart(pod, root);
  const int code = fails ? 1 + static_cast<int>(cluster_.below(3)) : 0;
  const std::string container = kubelets::first_container(root);
  const std::string now = format_time(cluster_.world().clock().now());
  return set_status(pod, kubelets::ended(fails ? "Failed" : "Succeeded", code, container, now));
}

bool Kubelets::restart(const api::Object& pod, api::View root) {
  const std::string container = kubelets::first_container(root);
  const int64_t before = root.at("status.containerStatuses").item(0)["restartCount"].integer();
  return set_status(pod,
                    fmt::format(R"({{"containerStatuses":[{{"name":"{}","image":"i","imageID":"i",)"
                                R"("ready":true,"restartCount":{},"state":{{"running":{{}}}}}}]}})",
                                container, before + 1));
}

bool Kubelets::remove(const api::Object& pod) {
  const client::Place place =
      cluster_.world().place("", "pods", Cluster::kNamespace, pod.metadata().name);
  // Pods with finalizers remain until those are removed; they are stopped.
  if (pod.metadata().has_finalizers) {
    return !controllers::pod_facts(pod).finished() && finish(pod);
  }
  return cluster_.world()
      .client()
      .remove(place, {.grace_seconds = 0, .uid = std::string(pod.metadata().uid)}, {})
      .ok();
}

bool Kubelets::set_status(const api::Object& pod, std::string status) {
  client::Place place =
      cluster_.world().place("", "pods", Cluster::kNamespace, pod.metadata().name);
  place.subresource = "status";
  return cluster_.world()
      .client()
      .patch(place, api::PatchType::kMerge, json::parse_literal("{\"status\":" + status + "}"), {},
             {})
      .ok();
}

}  // namespace proa::sim
