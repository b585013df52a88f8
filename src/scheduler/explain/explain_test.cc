#include "scheduler/explain/explain.h"

#include <gtest/gtest.h>

#include <map>

#include "api/schema/builtin.h"
#include "base/strings.h"
#include "json/print.h"
#include "scheduler/config/read_config.h"
#include "scheduler/explain/show.h"
#include "testkit/fake_clock.h"
#include "testkit/golden.h"
#include "testkit/scheduler/builders.h"

namespace proa::scheduler {
namespace {

using testkit::make_budget;
using testkit::make_claim;
using testkit::make_node;
using testkit::make_pod;
using testkit::make_storage_class;
using testkit::make_volume;
using testkit::Pairs;

// A server that can only be read: whoever explains needs no more, and must not ask for more.
class ShelfClient final : public client::Client {
 public:
  void put(std::string_view resource, api::ObjectPtr object) {
    objects_[std::string(resource)].push_back(std::move(object));
  }
  void close(std::string resource) { closed_ = std::move(resource); }

  Result<api::ObjectPtr> get(const client::Place& place, const Until&) override {
    for (const api::ObjectPtr& one : objects_[std::string(place.resource->name)]) {
      if (client::Key::of(*one) == client::Key{place.name_space, place.name}) return one;
    }
    return Status(Reason::kNotFound, "pods \"" + place.name + "\" not found");
  }
  Result<client::ObjectList> list(const client::Place& place, const client::ListQuery& query,
                                  const Until&) override {
    if (place.resource->name == closed_) return Status(Reason::kForbidden, closed_ + " is closed");
    const std::vector<api::ObjectPtr>& all = objects_[std::string(place.resource->name)];
    client::ObjectList list{.items = {}, .resource_version = "7", .continue_token = {}};
    // Two a page, so that there are several.
    const auto begin = static_cast<size_t>(parse_int(query.continue_token).value_or(0));
    for (size_t i = begin; i < std::min(all.size(), begin + 2); ++i) list.items.push_back(all[i]);
    if (begin + 2 < all.size()) list.continue_token = std::to_string(begin + 2);
    return list;
  }
  Result<std::unique_ptr<client::Watch>> watch(const client::Place&, const client::WatchQuery&,
                                               const Until&) override {
    return refuse("watch");
  }
  Result<api::ObjectPtr> create(const client::Place&, json::Document, const client::WriteChoices&,
                                const Until&) override {
    return refuse("create");
  }
  Result<api::ObjectPtr> update(const client::Place&, json::Document, const client::WriteChoices&,
                                const Until&) override {
    return refuse("update");
  }
  Result<api::ObjectPtr> patch(const client::Place&, api::PatchType, json::Document,
                               const client::WriteChoices&, const Until&) override {
    return refuse("patch");
  }
  Result<void> remove(const client::Place&, const client::RemoveChoices&, const Until&) override {
    return refuse("remove");
  }
  Result<void> remove_collection(const client::Place&, const client::ListQuery&,
                                 const client::RemoveChoices&, const Until&) override {
    return refuse("remove");
  }

 private:
  static Status refuse(const std::string& what) {
    ADD_FAILURE() << "asked to " << what;
    return {Reason::kForbidden, what};
  }

  std::map<std::string, std::vector<api::ObjectPtr>> objects_;
  std::string closed_;
};

Pairs room(std::string_view cpu) {
  return {{"cpu", std::string(cpu)}, {"memory", "8Gi"}, {"pods", "110"}};
}

class ExplainTest : public testing::Test {
 protected:
  Result<Explanation> ask(const std::string& name) {
    return explain({.client = client_,
                    .schema = api::builtin_schema(),
                    .clock = clock_,
                    .random = random_,
                    .pool = pool_},
                   default_config(), "default", name);
  }

  void add_nodes() {
    client_.put("nodes", make_node("busy").zone("a").capacity(room("4")).object());
    client_.put("nodes", make_node("tainted")
                             .zone("a")
                             .capacity(room("8"))
                             .taint("dedicated", "db", "NoSchedule")
                             .object());
    client_.put("nodes", make_node("closed")
                             .zone("b")
                             .capacity(room("8"))
                             .taint("dedicated", "db", "NoSchedule")
                             .unschedulable()
                             .object());
    for (int i = 1; i <= 7; ++i) {
      client_.put("nodes", make_node("small-" + std::to_string(i))
                               .zone("b")
                               .label("disk", "ssd")
                               .capacity(room(i == 7 ? "1500m" : "1"))
                               .object());
    }
  }

  void add_running_pods() {
    const auto app = [](std::string_view name, int64_t priority, std::string_view cpu) {
      return make_pod(name).node("busy").priority(priority).request({{"cpu", std::string(cpu)}});
    };
    client_.put("pods", app("batch-1", 0, "1500m").label("app", "batch").object());
    client_.put("pods", app("batch-2", 10, "1500m").label("app", "batch").object());
    client_.put("pods", app("system", 2000, "500m").object());
    client_.put("poddisruptionbudgets",
                make_budget("batch").selector({{"app", "batch"}}).allowed(1).object());
  }

  void add_waiting_pods() {
    const auto big = [](std::string_view name) { return make_pod(name).request({{"cpu", "2"}}); };
    client_.put("pods", big("web").object());
    client_.put("pods", big("important").priority(1000).object());
    client_.put("pods", big("modest").priority(1000).never_preempts().object());
    client_.put("pods", big("gated").gate("example.com/quota").gate("example.com/audit").object());
    client_.put("pods", make_pod("gated-small").gate("example.com/quota").object());
    client_.put("pods", make_pod("small").request({{"cpu", "1200m"}}).object());
    client_.put("pods", big("ssd").node_selector({{"disk", "nvme"}}).object());
    client_.put(
        "pods",
        make_pod("near").pod_affinity("topology.kubernetes.io/zone", {{"app", "cache"}}).object());
    client_.put("pods", make_pod("stored").claim("data").object());
    client_.put("pods", make_pod("lost").claim("missing").object());
    client_.put("pods", make_pod("foreign").scheduler_name("other").object());
    client_.put("pods", make_pod("pinned").node_name_affinity("In", {"tainted"}).object());
  }

  void add_storage() {
    client_.put("storageclasses", make_storage_class("local").wait_for_consumer().object());
    client_.put("persistentvolumeclaims", make_claim("data").storage_class("local").object());
    client_.put("persistentvolumes", make_volume("disk-1")
                                         .storage_class("local")
                                         .node_affinity("kubernetes.io/hostname", {"elsewhere"})
                                         .object());
  }

  void add_all() {
    add_nodes();
    add_running_pods();
    add_waiting_pods();
    add_storage();
  }

  ShelfClient client_;
  testkit::FakeClock clock_;
  SeededRandom random_{1};
  WorkerPool pool_{{.max_threads = 0}};
};

TEST_F(ExplainTest, SaysItInWords) {
  add_all();
  testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata/explain.txt",
                      [&](std::string_view command) -> std::string {
                        const std::optional<Halves> words = split_once(command, ' ');
                        const Result<Explanation> explanation = ask(std::string(words->after));
                        if (!explanation) return explanation.status().message() + "\n";
                        if (words->before == "text") return show_text(*explanation);
                        return json::print_pretty(show_json(*explanation).root()) + "\n";
                      });
}

TEST_F(ExplainTest, SaysThatThereAreNoNodes) {
  add_waiting_pods();
  const Result<Explanation> explanation = ask("web");
  ASSERT_TRUE(explanation.ok()) << explanation.status().message();
  EXPECT_EQ(explanation->outlook, PodOutlook::kUnschedulable);
  EXPECT_EQ(explanation->message, "no nodes available to schedule pods");
}

TEST_F(ExplainTest, ACordonedNodeNeedsOneStep) {
  client_.put("nodes", make_node("full").capacity(room("1")).object());
  client_.put("nodes", make_node("drained")
                           .capacity(room("8"))
                           .taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
                           .unschedulable()
                           .object());
  client_.put("pods", make_pod("web").request({{"cpu", "2"}}).object());
  const Result<Explanation> explanation = ask("web");
  ASSERT_TRUE(explanation.ok()) << explanation.status().message();
  const std::vector<std::string>& steps = explanation->would_fit_if;
  EXPECT_NE(std::find(steps.begin(), steps.end(), "on node drained: kubectl uncordon drained"),
            steps.end())
      << join(steps, "\n");
}

TEST_F(ExplainTest, NamesWhoeverHasTheRoomThatIsKept) {
  client_.put("nodes", make_node("only").capacity(room("2")).object());
  client_.put("pods",
              make_pod("first").request({{"cpu", "2"}}).priority(5).nominated("only").object());
  client_.put("pods", make_pod("second").request({{"cpu", "1"}}).object());
  const Result<Explanation> explanation = ask("second");
  ASSERT_TRUE(explanation.ok()) << explanation.status().message();
  ASSERT_EQ(explanation->groups.size(), 1u);
  EXPECT_EQ(explanation->groups[0].objections[0].plugin, "NodeResourcesFit");
  EXPECT_EQ(explanation->groups[0].nodes[0].suggestions[0],
            "wait until default/first, nominated to this node, is scheduled");
}

TEST_F(ExplainTest, AClaimThatIsNotProvisionedIsNamed) {
  client_.put("nodes", make_node("only").capacity(room("2")).object());
  client_.put(
      "storageclasses",
      make_storage_class("fast").provisioner("example.com/fast").wait_for_consumer().object());
  client_.put("pods", make_pod("new").claim("fresh").object());
  client_.put("persistentvolumeclaims", make_claim("fresh").storage_class("fast").object());
  client_.put("pods", make_pod("stuck").claim("data").object());
  client_.put("persistentvolumeclaims",
              make_claim("data").storage_class("fast").selected_node("only").object());

  // Nothing has been tried yet.
  Result<Explanation> explanation = ask("new");
  ASSERT_TRUE(explanation.ok()) << explanation.status().message();
  EXPECT_EQ(explanation->outlook, PodOutlook::kFits);
  ASSERT_EQ(explanation->unbound_claims.size(), 1u);

  explanation = ask("stuck");
  ASSERT_TRUE(explanation.ok()) << explanation.status().message();
  EXPECT_EQ(explanation->outlook, PodOutlook::kWaitsForVolume);
  EXPECT_EQ(
      show_text(*explanation),
      "Pod default/stuck fits on node only, but waits for a volume.\n"
      "\n"
      "Claims that are not bound\n"
      "  claim data (StorageClass fast): provisioner example.com/fast has not provisioned it; "
      "check that it is running\n"
      "\n"
      "Suggestions\n"
      "  - get the volume provisioned: claim data (StorageClass fast): provisioner "
      "example.com/fast has not provisioned it; check that it is running\n");

  // The provisioner says why.
  for (const char* event :
       {R"({"metadata":{"name":"b","namespace":"default"},"type":"Warning",)"
        R"("lastTimestamp":"2026-01-02T00:00:00Z","message":"only ReadWriteOnce is supported"})",
        R"({"metadata":{"name":"a","namespace":"default"},"type":"Warning",)"
        R"("lastTimestamp":"2026-01-01T00:00:00Z","message":"try again"})"}) {
    client_.put("events", std::make_shared<const api::Object>(event));
  }
  explanation = ask("stuck");
  ASSERT_TRUE(explanation.ok()) << explanation.status().message();
  EXPECT_EQ(explanation->unbound_claims[0].warning, "only ReadWriteOnce is supported");
  EXPECT_NE(show_text(*explanation)
                .find("claim data (StorageClass fast): only ReadWriteOnce is supported"),
            std::string::npos);
}

TEST_F(ExplainTest, FailsWhereSomethingCantBeRead) {
  add_all();
  EXPECT_TRUE(ask("nobody").is(Reason::kNotFound));
  client_.close("csinodes");
  const Result<Explanation> explanation = ask("web");
  ASSERT_FALSE(explanation.ok());
  EXPECT_EQ(explanation.status().message(), "csinodes is closed");
}

}  // namespace
}  // namespace proa::scheduler
