#include "scheduler/model/pod.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testkit/scheduler/builders.h"

namespace proa::scheduler {
namespace {

using testkit::make_pod;
using testkit::PodBuilder;

TEST(PodReader, TakesWhatIsOfThePodAlone) {
  PodReader reader;
  const PodPtr plain = reader.read(make_pod("a").created("2026-01-01T00:00:05Z").object());
  EXPECT_EQ(plain->name(), "a");
  EXPECT_EQ(plain->name_space(), "default");
  EXPECT_EQ(plain->uid(), "uid-default-a");
  EXPECT_EQ(plain->created, *parse_time("2026-01-01T00:00:05Z"));
  EXPECT_EQ(plain->started, Time{});
  EXPECT_EQ(plain->node, "");
  EXPECT_EQ(plain->nominated_node, "");
  EXPECT_FALSE(plain->gated || plain->being_deleted || plain->finished ||
               plain->has_disruption_condition);

  const PodPtr full = reader.read(make_pod("a")
                                      .node("n1")
                                      .nominated("n2")
                                      .gate("x.com/wait")
                                      .started("2026-01-01T00:00:07Z")
                                      .deleted_at("2026-01-01T00:01:00Z")
                                      .phase("Failed")
                                      .status_json("conditions",
                                                   R"([{"type":"DisruptionTarget","status":"True",
                                        "reason":"PreemptionByScheduler"}])")
                                      .object());
  EXPECT_EQ(full->node, "n1");
  EXPECT_EQ(full->nominated_node, "n2");
  EXPECT_EQ(full->started, *parse_time("2026-01-01T00:00:07Z"));
  EXPECT_TRUE(full->gated);
  EXPECT_TRUE(full->being_deleted);
  EXPECT_TRUE(full->finished);
  EXPECT_TRUE(full->has_disruption_condition);
}

TEST(PodReader, KnowsWhichPodsAreFinished) {
  PodReader reader;
  for (const char* phase : {"Pending", "Running", "Unknown"})
    EXPECT_FALSE(reader.read(make_pod("a").phase(phase).object())->finished) << phase;
  for (const char* phase : {"Succeeded", "Failed"})
    EXPECT_TRUE(reader.read(make_pod("a").phase(phase).object())->finished) << phase;
}

TEST(PodReader, TakesOnlyVictimsOfTheSchedulerForSuch) {
  PodReader reader;
  for (const char* condition :
       {R"([{"type":"DisruptionTarget","status":"False","reason":"PreemptionByScheduler"}])",
        R"([{"type":"DisruptionTarget","status":"True","reason":"EvictionByEvictionAPI"}])",
        R"([{"type":"Ready","status":"True","reason":"PreemptionByScheduler"}])"}) {
    SCOPED_TRACE(condition);
    const PodPtr pod = reader.read(make_pod("a").status_json("conditions", condition).object());
    EXPECT_FALSE(pod->has_disruption_condition);
  }
}

TEST(OnNode, ChangesTheNodeAlone) {
  PodReader reader;
  const PodPtr pod = reader.read(make_pod("a").object());
  const PodPtr placed = on_node(*pod, api::NodeNameView("n1"));
  EXPECT_EQ(placed->node, "n1");
  EXPECT_EQ(placed->object, pod->object);
  EXPECT_EQ(placed->shape, pod->shape);
  EXPECT_EQ(pod->node, "");
}

// --- Which pods are of one shape ---

// Has a bit of everything, so that a change of any of it can be seen.
PodBuilder usual_pod(std::string_view name = "web-1") {
  PodBuilder pod = make_pod(name);
  pod.label("app", "web").label("pod-template-hash", "5f6d");
  pod.owner("apps/v1", "ReplicaSet", "web-5f6d");
  pod.request({{"cpu", "1"}, {"memory", "1Gi"}}).image("web:1").host_port(80);
  pod.init_request({{"cpu", "1"}}, "init:1").sidecar_request({{"cpu", "1"}}, "side:1");
  pod.priority(10).node_selector({{"disk", "ssd"}});
  pod.tolerate("k", "Equal", "v", "NoSchedule");
  pod.node_affinity("zone", "In", {"a"}).prefer_node(5, "zone", "In", {"b"});
  pod.pod_affinity("zone", {{"app", "db"}}).pod_anti_affinity("host", {{"app", "web"}});
  pod.prefer_pod_affinity(5, "zone", {{"app", "db"}});
  pod.prefer_pod_anti_affinity(5, "zone", {{"app", "db"}});
  pod.spread(1, "zone", "DoNotSchedule", {{"app", "web"}});
  return pod;
}

std::string token_volume(std::string_view name) {
  return std::string(R"({"name":")")
      .append(name)
      .append(R"(","projected":{"sources":[{"serviceAccountToken":{"path":"token"}}]}})");
}

// What the kubelet says of a container with that much cpu.
std::string container_status(std::string_view name, std::string_view running,
                             std::string_view allocated) {
  return fmt::format(R"([{{"name":"{}","image":"web:1","imageID":"","ready":true,"restartCount":0,
      "resources":{{"limits":{{"cpu":"9"}},"requests":{{"cpu":"{}","memory":"1Gi"}}}},
      "allocatedResources":{{"cpu":"{}","memory":"1Gi"}}}}])",
                     name, running, allocated);
}

TEST(PodShape, IsSharedWhereNothingThatDecidesDiffers) {
  struct Case {
    const char* name;
    PodBuilder pod;
  };
  const Case cases[] = {
      {"the name and uid", usual_pod("web-2")},
      {"the version", usual_pod().version(99)},
      {"when it was made", usual_pod().created("2026-02-02T00:00:00Z")},
      {"annotations", usual_pod().annotation("kubernetes.io/config.seen", "now")},
      {"finalizers", usual_pod().finalizer("x.com/y")},
      {"that it is being deleted", usual_pod().deleted_at("2026-02-02T00:00:00Z")},
      {"its node", usual_pod().node("n1")},
      {"its nominated node", usual_pod().nominated("n1")},
      {"its phase", usual_pod().phase("Running")},
      {"its conditions",
       usual_pod().status_json("conditions", R"([{"type":"Ready","status":"True"}])")},
      {"its gates", usual_pod().gate("x.com/wait")},
      {"the uid of its controller", usual_pod().json("metadata.ownerReferences.0.uid", R"("u")")},
      {"the time it has to end", usual_pod().grace(5)},
      {"the random name of the token volume",
       usual_pod().volume_json(token_volume("kube-api-access-x7k2p"))},
      {"volumes that the node makes", usual_pod().volume_json(R"({"name":"tmp","emptyDir":{}})")},
      {"environment", usual_pod().json("spec.containers.0.env", R"([{"name":"A","value":"b"}])")},
      {"ports that are not the host's",
       usual_pod().json("spec.initContainers.1.ports", R"([{"containerPort":80}])")},
      {"a status that repeats what was asked for",
       usual_pod().node("n1").status_json("containerStatuses", container_status("c1", "1", "1"))},
  };
  PodReader reader;
  const PodPtr usual = reader.read(usual_pod().object());
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(reader.read(c.pod.object())->shape, usual->shape);
  }
  EXPECT_EQ(reader.shapes(), 1u);
}

TEST(PodShape, DiffersWhereAnythingThatDecidesDoes) {
  struct Case {
    const char* name;
    PodBuilder pod;
  };
  const Case cases[] = {
      {"as it was", usual_pod()},
      {"namespace", usual_pod().in("other")},
      {"value of a label", usual_pod().label("app", "db")},
      {"the template's hash", usual_pod().label("pod-template-hash", "77aa")},
      {"one label more", usual_pod().label("x", "y")},
      {"scheduler", usual_pod().scheduler_name("mine")},
      {"priority", usual_pod().priority(11)},
      {"never preempts", usual_pod().never_preempts()},
      {"controller's name", usual_pod().json("metadata.ownerReferences.0.name", R"("web-77aa")")},
      {"controller's kind", usual_pod().json("metadata.ownerReferences.0.kind", R"("Job")")},
      {"no controller", usual_pod().json("metadata.ownerReferences", "[]")},
      {"request", usual_pod().request({{"cpu", "2"}})},
      {"request of a device", usual_pod().request({{"a.com/x", "2"}})},
      {"request of an init container",
       usual_pod().json("spec.initContainers.0.resources", R"({"requests":{"cpu":"3"}})")},
      {"a sidecar that is none",
       usual_pod().json("spec.initContainers.1.restartPolicy", R"("Never")")},
      {"overhead", usual_pod().overhead({{"cpu", "1"}})},
      {"request of the whole", usual_pod().pod_request({{"cpu", "5"}})},
      {"port of the host", usual_pod().host_port(81)},
      {"protocol of the port", usual_pod().json("spec.containers.0.ports.0.protocol", R"("UDP")")},
      {"address of the port",
       usual_pod().json("spec.containers.0.ports.0.hostIP", R"("10.0.0.1")")},
      {"image", usual_pod().image("web:2")},
      {"image of an init container",
       usual_pod().json("spec.initContainers.0.image", R"("init:2")")},
      {"one container more", usual_pod().container()},
      {"node selector", usual_pod().node_selector({{"disk", "hdd"}})},
      {"node affinity", usual_pod().node_affinity("zone", "In", {"c"})},
      {"preferred nodes", usual_pod().prefer_node(6, "zone", "In", {"b"})},
      {"toleration", usual_pod().tolerate("k2", "Exists")},
      {"pod affinity", usual_pod().pod_affinity("zone", {{"app", "x"}})},
      {"pod anti-affinity", usual_pod().pod_anti_affinity("zone", {{"app", "x"}})},
      {"preferred affinity", usual_pod().prefer_pod_affinity(6, "zone", {{"app", "x"}})},
      {"preferred anti-affinity", usual_pod().prefer_pod_anti_affinity(6, "zone", {{"app", "x"}})},
      {"spreading", usual_pod().spread(2, "zone", "ScheduleAnyway", {{"app", "web"}})},
      {"claim", usual_pod().claim("data")},
      {"another claim", usual_pod().claim("data2")},
      {"disk", usual_pod().volume_json(R"({"name":"d","gcePersistentDisk":{"pdName":"x"}})")},
      {"disk, read only",
       usual_pod().volume_json(
           R"({"name":"d","gcePersistentDisk":{"pdName":"x","readOnly":true}})")},
      {"inline CSI volume", usual_pod().volume_json(R"({"name":"d","csi":{"driver":"x.com"}})")},
      {"what it has while it is resized",
       usual_pod().status_json("containerStatuses", container_status("c1", "7", "1"))},
      {"what was set aside for it then",
       usual_pod().status_json("containerStatuses", container_status("c1", "1", "8"))},
  };
  PodReader reader;
  std::vector<PodPtr> pods;  // keeps the shapes
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    pods.push_back(reader.read(c.pod.object()));
    EXPECT_EQ(reader.shapes(), pods.size());
  }
}

TEST(PodShape, OfAnEphemeralVolumeIsThePodsOwn) {
  const auto with_volume = [](std::string_view name) {
    return make_pod(name).volume_json(R"({"name":"scratch","ephemeral":{"volumeClaimTemplate":
        {"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}}})");
  };
  PodReader reader;
  const PodPtr a = reader.read(with_volume("a").object());
  const PodPtr b = reader.read(with_volume("b").object());
  EXPECT_NE(a->shape, b->shape);
  EXPECT_EQ(a->shape->claims, std::vector<std::string>{"a-scratch"});
  EXPECT_TRUE(a->shape->has_volumes_of_its_own);
}

TEST(PodShape, KnowsWhichContainerIsResized) {
  const auto two = [](const char* first, const char* second) {
    PodBuilder pod = make_pod("a");
    pod.json("spec.containers", fmt::format(R"([{{"name":"{}","image":"i","resources":
            {{"requests":{{"cpu":"1"}}}}}},
        {{"name":"{}","image":"i","resources":{{"requests":{{"cpu":"2"}}}}}}])",
                                            first, second));
    return pod.status_json("containerStatuses", container_status("x", "2", "2"));
  };
  PodReader reader;
  const PodPtr smaller = reader.read(two("x", "y").object());
  const PodPtr larger = reader.read(two("y", "x").object());
  EXPECT_EQ(smaller->shape->requests.exact.milli_cpu, 4000);
  EXPECT_EQ(larger->shape->requests.exact.milli_cpu, 3000);
}

TEST(PodShape, CountsWhatThePodHasAsAWhole) {
  const auto running = [](const char* cpu) {
    return make_pod("a")
        .pod_request({{"cpu", "1"}})
        .status_json("resources", fmt::format(R"({{"requests":{{"cpu":"{}"}}}})", cpu));
  };
  PodReader reader;
  const PodPtr asked = reader.read(make_pod("a").pod_request({{"cpu", "1"}}).object());
  EXPECT_EQ(reader.read(running("1").object())->shape, asked->shape);
  EXPECT_EQ(reader.read(running("3").object())->shape->requests.exact.milli_cpu, 3000);
}

TEST(PodReader, ForgetsShapesThatNobodyHas) {
  PodReader reader;
  const PodPtr kept = reader.read(make_pod("kept").object());
  for (int i = 0; i < 2000; ++i)
    static_cast<void>(reader.read(make_pod("p").label("n", std::to_string(i)).object()));
  EXPECT_LT(reader.shapes(), 1100u);
  EXPECT_EQ(reader.read(make_pod("again").object())->shape, kept->shape);
}

TEST(PodReader, ForgetsShapesWhenTheirPodsGo) {
  PodReader reader;
  const PodPtr kept = reader.read(make_pod("kept").object());
  std::vector<PodPtr> pods;
  for (int i = 0; i < 5000; ++i) {
    pods.push_back(reader.read(make_pod("p").label("n", std::to_string(i)).object()));
  }
  EXPECT_EQ(reader.shapes(), 5001u);
  while (!pods.empty()) {
    pods.pop_back();
    reader.forget_one();
  }
  EXPECT_LT(reader.shapes(), 1000u);
  EXPECT_EQ(reader.read(make_pod("again").object())->shape, kept->shape);
}

}  // namespace
}  // namespace proa::scheduler
