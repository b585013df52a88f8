#include "scheduling.h"

#include <fmt/core.h>

namespace proa::load::scheduling {

std::string node(size_t number, std::string_view zone, std::string_view pods) {
  return fmt::format(
      R"({{"metadata":{{"name":"node-{0}","labels":{{"kubernetes.io/hostname":"node-{0}")"
      R"(,"topology.kubernetes.io/zone":"{1}"}}}},"status":{{"capacity":{{"pods":"{2}",)"
      R"("cpu":"4","memory":"32Gi"}},"conditions":[{{"type":"Ready","status":"True"}}]}}}})",
      number, zone, pods);
}

std::string pod(const PodTemplate& of) {
  const std::string resources =
      of.cpu.empty()
          ? "{}"
          : fmt::format(R"({{"requests":{{"cpu":"{0}","memory":"{1}"}}}})", of.cpu, of.memory);
  return fmt::format(
      R"({{"metadata":{{"generateName":"{}-","labels":{}}},"spec":{{"containers":[{{"name":"pause",)"
      R"("image":"registry.k8s.io/pause:3.10.2","ports":[{{"containerPort":80}}],)"
      R"("resources":{}}}]{}}}}})",
      of.name, of.labels, resources, of.more);
}

constexpr PodTemplate kNodeAffinity = {
    .name = "node-affinity",
    .more = R"(,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
            R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"topology.kubernetes.io/zone",)"
            R"("operator":"In","values":["zone1","zone2"]}]}]}}})"};
constexpr PodTemplate kSpreading = {
    .name = "spreading-pod",
    .labels = R"({"color":"blue"})",
    .more = R"(,"topologySpreadConstraints":[{"maxSkew":5,"topologyKey":)"
            R"("topology.kubernetes.io/zone","whenUnsatisfiable":"DoNotSchedule",)"
            R"("labelSelector":{"matchLabels":{"color":"blue"}}}])"};
constexpr PodTemplate kAntiAffinity = {
    .name = "anti-affinity-pod",
    .labels = R"({"color":"green"})",
    .more = R"(,"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
            R"([{"labelSelector":{"matchLabels":{"color":"green"}},"topologyKey":)"
            R"("kubernetes.io/hostname","namespaces":["sched-1","sched-0"]}]}})"};
constexpr PodTemplate kAffinity = {
    .name = "affinity-pod",
    .labels = R"({"color":"blue"})",
    .more = R"(,"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
            R"([{"labelSelector":{"matchLabels":{"color":"blue"}},"topologyKey":)"
            R"("topology.kubernetes.io/zone","namespaces":["sched-1","sched-0"]}]}})"};
constexpr PodTemplate kPreferred = {
    .name = "preferred-affinity-pod",
    .labels = R"({"color":"red"})",
    .more = R"(,"affinity":{"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":)"
            R"([{"weight":1,"podAffinityTerm":{"labelSelector":{"matchLabels":{"color":"red"}},)"
            R"("topologyKey":"kubernetes.io/hostname","namespaces":["sched-1","sched-0"]}}]}})"};
constexpr PodTemplate kLowPriority = {
    .name = "pod", .cpu = "900m", .more = R"(,"terminationGracePeriodSeconds":0)"};
constexpr PodTemplate kHighPriority = {
    .name = "pod-high-priority", .cpu = "3000m", .more = R"(,"priority":10)"};
constexpr PodTemplate kDaemon = {
    .name = "daemonset",
    .cpu = "",
    .more = R"(,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
            R"({"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In",)"
            R"("values":["node-0"]}]}]}}})"};
std::vector<Scenario> scenarios() {
  using enum Scenario::Meanwhile;
  return {
      {.section = "basic",
       .title = "basic, 10,000 pods",
       .init_pods = 1'000,
       .goal = 10'000,
       .upstream = 680},
      {.section = "node-affinity",
       .title = "node affinity",
       .init_pods = 5'000,
       .measured = kNodeAffinity,
       .goal = 8'000,
       .upstream = 540},
      {.section = "spread",
       .title = "topology spreading",
       .zones = {"moon-1", "moon-2", "moon-3"},
       .init_pods = 5'000,
       .measured = kSpreading,
       .pods = 5'000,
       .goal = 5'000,
       .upstream = 460},
      {.section = "anti-affinity",
       .title = "required pod anti-affinity",
       .init = kAntiAffinity,
       .init_pods = 1'000,
       .measured = kAntiAffinity,
       .pods = 2'000,
       .goal = 3'000,
       .upstream = 180},
      {.section = "affinity",
       .title = "required pod affinity",
       .init = kAffinity,
       .init_pods = 5'000,
       .measured = kAffinity,
       .pods = 5'000,
       .goal = 3'000,
       .upstream = 70},
      {.section = "preferred",
       .title = "preferred pod affinity",
       .init = kPreferred,
       .init_pods = 5'000,
       .measured = kPreferred,
       .pods = 5'000,
       .goal = 3'000,
       .upstream = 160},
      {.section = "preemption",
       .title = "preemption",
       .init = kLowPriority,
       .init_pods = 20'000,
       .measured = kHighPriority,
       .pods = 5'000,
       .goal = 3'000,
       .upstream = 570},
      {.section = "daemonset",
       .title = "DaemonSet, 15,000 nodes",
       .nodes = 15'000,
       .measured = kDaemon,
       .pods = 30'000,
       .goal = 10'000,
       .upstream = 1'100},
      {.section = "unschedulable",
       .title = "many unschedulable pods",
       .init_pods = 200,
       .pods = 10'000,
       .goal = 8'000,
       .upstream = 590,
       .meanwhile = kUnschedulable},
      {.section = "churn",
       .title = "mixed churn",
       .pods = 10'000,
       .goal = 8'000,
       .upstream = 710,
       .meanwhile = kChurn},
  };
}

}  // namespace proa::load::scheduling
