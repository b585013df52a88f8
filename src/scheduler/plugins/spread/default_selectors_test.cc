#include "scheduler/plugins/spread/default_selectors.h"

#include <cmath>

#include "testkit/scheduler/plugins/test_spread.h"

namespace proa::scheduler::spread_test {
namespace {

constexpr std::string_view kZoneKey = "topology.kubernetes.io/zone";

// A plugin with defaults, and the objects that its selectors come from.
class DefaultSpread : public testing::Test {
 protected:
  // What the selectors come to is seen by which pods are counted: by the score of host "a" against
  // "b", which is empty.
  bool counts(const PodBuilder& pod, const PodBuilder& other) {
    SpreadWorld& world = *world_;
    const PodPtr placed = world.read(PodBuilder(other).node("a"));
    world.cluster.put_pod(placed);
    const auto scorer = world.scorer(*world.read(pod));
    const std::vector<int64_t> scores = world.scores(*scorer, world.nodes());
    world.cluster.remove_pod(placed->uid());
    return scores[0] != scores[1];
  }

  void SetUp() override { world_->add_nodes({"a host=a", "b host=b"}); }

  std::unique_ptr<SpreadWorld> world_ = std::make_unique<SpreadWorld>("{}");
};

TEST_F(DefaultSpread, PodsOfOneServiceBelongTogether) {
  const PodBuilder pod = testkit::make_pod("p").label("app", "web").label("tier", "1");
  const PodBuilder like = testkit::make_pod("q").label("app", "web").label("tier", "1");
  EXPECT_FALSE(counts(pod, like));
  world_->tell("services", testkit::make_service("other").selector({{"app", "db"}}));
  world_->tell("services", testkit::make_service("web").selector({{"app", "web"}}).in("other"));
  world_->tell("services", testkit::make_service("none"));
  EXPECT_FALSE(counts(pod, like));
  world_->tell("services", testkit::make_service("web").selector({{"app", "web"}}));
  EXPECT_TRUE(counts(pod, like));
  EXPECT_TRUE(counts(pod, testkit::make_pod("q").label("app", "web")));
  // Of two services, a pod must be of both.
  world_->tell("services", testkit::make_service("one").selector({{"tier", "1"}}));
  EXPECT_TRUE(counts(pod, like));
  EXPECT_FALSE(counts(pod, testkit::make_pod("q").label("app", "web")));
  EXPECT_FALSE(counts(pod, PodBuilder(like).in("other")));
}

TEST_F(DefaultSpread, PodsOfOneControllerBelongTogether) {
  const struct {
    std::string version;
    std::string kind;
    bool known;
  } cases[] = {{"apps/v1", "ReplicaSet", true},
               {"apps/v1", "StatefulSet", true},
               {"v1", "ReplicationController", true},
               {"example.com/v1", "ReplicaSet", false},
               {"batch/v1", "Job", false}};
  world_->tell("replicasets", testkit::make_replica_set("web").selector({{"app", "web"}}));
  world_->tell("statefulsets", testkit::make_stateful_set("web").selector({{"app", "web"}}));
  world_->tell("replicationcontrollers",
               testkit::make_replication_controller("web").selector({{"app", "web"}}));
  for (const auto& c : cases) {
    SCOPED_TRACE(c.version + c.kind);
    const PodBuilder pod = testkit::make_pod("p").owner(c.version, c.kind, "web");
    EXPECT_EQ(counts(pod, testkit::make_pod("q").label("app", "web")), c.known);
    EXPECT_FALSE(counts(pod, testkit::make_pod("q").label("app", "db")));
    const PodBuilder lost = testkit::make_pod("p").owner(c.version, c.kind, "gone");
    EXPECT_FALSE(counts(lost, testkit::make_pod("q").label("app", "web")));
  }
}

TEST_F(DefaultSpread, ControllersAndServicesAreTakenTogether) {
  world_->tell("services", testkit::make_service("web").selector({{"app", "web"}}));
  world_->tell("replicasets", testkit::make_replica_set("web-1")
                                  .selector({{"app", "web"}, {"hash", "1"}})
                                  .selector_json(R"({"matchLabels":{"hash":"1"},"matchExpressions":[
                       {"key":"gone","operator":"DoesNotExist"}]})"));
  const PodBuilder pod = testkit::make_pod("p")
                             .label("app", "web")
                             .label("hash", "1")
                             .owner("apps/v1", "ReplicaSet", "web-1");
  const auto other = [](const Pairs& labels) { return testkit::make_pod("q").labels(labels); };
  EXPECT_TRUE(counts(pod, other({{"app", "web"}, {"hash", "1"}})));
  EXPECT_FALSE(counts(pod, other({{"app", "web"}})));
  EXPECT_FALSE(counts(pod, other({{"hash", "1"}})));
  EXPECT_FALSE(counts(pod, other({{"app", "web"}, {"hash", "1"}, {"gone", ""}})));
}

TEST_F(DefaultSpread, HoldsUntilTheSelectorIsAnother) {
  const PodPtr pod = world_->read(
      testkit::make_pod("p").label("app", "web").owner("apps/v1", "ReplicaSet", "web"));
  const auto idle = world_->scorer(*pod);
  ASSERT_NE(idle, nullptr);
  EXPECT_TRUE(idle->is_local());
  EXPECT_TRUE(idle->is_current(*pod));
  world_->tell("services", testkit::make_service("db").selector({{"app", "db"}}));
  EXPECT_TRUE(idle->is_current(*pod));
  world_->tell("replicasets", testkit::make_replica_set("web").selector({{"app", "web"}}));
  EXPECT_FALSE(idle->is_current(*pod));

  const auto scorer = world_->scorer(*pod);
  EXPECT_FALSE(scorer->is_local());
  // Says the same as the ReplicaSet: upstream has the requirement twice then, as we have.
  world_->tell("services", testkit::make_service("more").selector({{"tier", "1"}}));
  EXPECT_TRUE(scorer->is_current(*pod));
  world_->tell("services", testkit::make_service("more").selector({{"app", "web"}}));
  EXPECT_FALSE(scorer->is_current(*pod));
  const auto again = world_->scorer(*pod);
  world_->tell_gone("services", testkit::make_service("more").selector({{"app", "web"}}));
  EXPECT_FALSE(again->is_current(*pod));
  EXPECT_TRUE(scorer->is_current(*pod));
}

TEST_F(DefaultSpread, PodsThatSayItThemselvesAreLeftAlone) {
  const PodPtr pod = world_->read(waiting("foo", {soft(1, kHost)}));
  const auto scorer = world_->scorer(*pod);
  world_->tell("services", testkit::make_service("foo").selector({{"foo", ""}}));
  EXPECT_TRUE(scorer->is_current(*pod));
  EXPECT_EQ(world_->scorer(*world_->read(waiting("foo", {hard(1, "zone")}))), nullptr);
}

TEST(SystemSpread, NodesWithoutAZoneAreScoredByHost) {
  SpreadWorld world("{}");
  world.add_nodes({"a host=a", "b host=b", "c host=c", "d host=d"});
  world.add_pods(
      {"foo@a", "foo@a", "foo@a", "foo@a", "foo@b", "foo@b", "foo@b", "foo@c", "foo@c", "foo@d"});
  world.tell("services", testkit::make_service("foo").selector({{"foo", ""}}));
  const auto scorer = world.scorer(*world.read(testkit::make_pod("p").label("foo", "")));
  EXPECT_EQ(world.scores(*scorer, world.nodes()), (std::vector<int64_t>{44, 66, 77, 100}));
}

TEST(SystemSpread, NodesWithoutAZoneAreOneMoreZone) {
  SpreadWorld world("{}");
  const std::string zone = std::string(kZoneKey) + "=";
  // An empty value is no value, for upstream: node "e" has the pods of "c" and "d" in its zone.
  world.add_nodes({"a host=a " + zone + "mars", "b host=b " + zone + "mars", "c host=c", "d host=d",
                   "e host=e " + zone});
  world.add_pods({"foo@a", "foo@c", "foo@c", "foo@d"});
  world.tell("services", testkit::make_service("foo").selector({{"foo", ""}}));
  const auto scorer = world.scorer(*world.read(testkit::make_pod("p").label("foo", "")));
  const std::vector<NodeIndex> nodes = world.nodes();
  scorer->begin(nodes);
  std::vector<int64_t> raw;
  for (const NodeIndex index : nodes) raw.push_back(scorer->score(index, world.cluster.at(index)));
  // Hosts weigh log(5+2), the two zones log(2+2); skews of 3 and 5 add 2 and 4.
  const double host = std::log(7);
  const double zones = std::log(4);
  EXPECT_EQ(raw, (std::vector<int64_t>{std::lround(host + 2 + zones + 4), std::lround(zones + 6),
                                       std::lround(2 * host + 2), std::lround(host + 2),
                                       std::lround(2 + 3 * zones + 4)}));
}

TEST(ListedSpread, DefaultsMayBeHardAndSoft) {
  SpreadWorld world(R"({"defaultingType":"List","defaultConstraints":[
      {"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule"},
      {"maxSkew":1,"topologyKey":"node","whenUnsatisfiable":"ScheduleAnyway"}]})");
  world.add_nodes({"a zone=z1 node=a", "b zone=z1 node=b", "x zone=z2 node=x", "y zone=z2"});
  world.add_pods({"foo@a"});
  const PodPtr pod = world.read(testkit::make_pod("p").label("foo", ""));
  const auto idle = world.filter(*pod);
  EXPECT_EQ(world.answers(*idle), "yyyy");
  EXPECT_TRUE(idle->is_local());
  world.tell("services", testkit::make_service("foo").selector({{"foo", ""}}));
  EXPECT_FALSE(idle->is_current(*pod));
  EXPECT_EQ(world.answers(*world.filter(*pod)), "nnyy");
  // A node that lacks the label gets nothing here: these are not the system's defaults.
  EXPECT_EQ(world.scores(*world.scorer(*pod), world.nodes()),
            (std::vector<int64_t>{0, 100, 100, 0}));
  // Hints use them, too.
  const PodPtr gone = world.read(pod_of("foo@a", "gone"));
  const PodPtr other = world.read(pod_of("bar@a", "gone"));
  ClusterEvent event{.resource = EventResource::kAssignedPod, .old_pod = gone.get()};
  EXPECT_TRUE(world.plugin().may_help(*pod, event));
  event.old_pod = other.get();
  EXPECT_FALSE(world.plugin().may_help(*pod, event));
  EXPECT_EQ(world.answers(*world.filter(*world.read(waiting("foo", {hard(5, "zone")})))), "yyyy");
}

}  // namespace
}  // namespace proa::scheduler::spread_test
