#include "controllers/lifecycle/garbage/owner_graph.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "testkit/controllers/quiet_world.h"

namespace proa::controllers {
namespace {

// Uids that look like those of objects.
std::string uid_of(int number) {
  char text[40];
  std::snprintf(text, sizeof(text), "00000000-0000-4000-8000-%012d", number);
  return text;
}

// Objects are numbers; nothing of them is in any cache.
class OwnerGraphTest : public testing::Test {
 protected:
  struct Object {
    std::vector<int> owners = {};
    std::vector<int> blocked = {};  // owners too
    bool waits = false;
    std::string name_space = "default";
  };

  static api::ObjectPtr make(int number, const Object& wanted) {
    std::string owners;
    const auto add = [&](int owner, const char* blocks) {
      owners += (owners.empty() ? "" : ",") + std::string(R"({"apiVersion":"v1",)") +
                R"("kind":"ConfigMap","name":"o)" + std::to_string(owner) + R"(","uid":")" +
                uid_of(owner) + R"(","blockOwnerDeletion":)" + blocks + "}";
    };
    for (const int owner : wanted.owners) add(owner, "false");
    for (const int owner : wanted.blocked) add(owner, "true");
    std::string json = R"({"metadata":{"name":"o)" + std::to_string(number) + R"(","namespace":")" +
                       wanted.name_space + R"(","uid":")" + uid_of(number) +
                       R"(","resourceVersion":"1")";
    if (!owners.empty()) json += R"(,"ownerReferences":[)" + owners + "]";
    if (wanted.waits) {
      json += R"(,"deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["foregroundDeletion"])";
    }
    return api::Object::make(json + "}}");
  }

  // "o1 o3": those who are to be looked at.
  static std::string names(const OwnerGraph::Members& members) {
    std::set<std::string> sorted;
    for (const OwnerGraph::Member& member : members) {
      sorted.emplace(member.object->metadata().name);
    }
    std::string text;
    for (const std::string& name : sorted) text += (text.empty() ? "" : " ") + name;
    return text;
  }
  std::string put(int number, const Object& object) {
    return names(graph_.put(maps_, make(number, object)));
  }
  std::string remove(int number) { return names(graph_.remove(*make(number, {}))); }
  bool blocked(int number) { return graph_.is_blocked(uid_of(number)); }

  QuietWorld quiet_;
  const CollectedResources& resources_ = quiet_.resources;
  const CollectedResourcePtr maps_ = resources_.find_kind("v1", "ConfigMap");
  OwnerGraph graph_{resources_};
};

TEST_F(OwnerGraphTest, HoldsOnlyWhatOwnsOrIsOwned) {
  put(1, {});
  EXPECT_EQ(graph_.size(), 0u);
  put(2, {.owners = {1}});
  EXPECT_EQ(graph_.size(), 2u);
  put(2, {});
  EXPECT_EQ(graph_.size(), 0u);
  put(2, {.owners = {1, 3}});
  put(3, {.owners = {1}});
  EXPECT_EQ(graph_.size(), 3u);
  remove(2);
  EXPECT_EQ(graph_.size(), 2u);
  remove(3);
  EXPECT_EQ(graph_.size(), 0u);
  put(4, {.owners = {4}});
  EXPECT_EQ(graph_.size(), 1u);
  remove(4);
  EXPECT_EQ(graph_.size(), 0u);
}

TEST_F(OwnerGraphTest, TellsOfNobodyBeforeItBegins) {
  EXPECT_EQ(put(3, {.owners = {2}}), "");
  EXPECT_EQ(put(2, {.owners = {1}}), "");
  EXPECT_EQ(put(4, {.owners = {2}}), "");
  EXPECT_EQ(names(graph_.begin()), "o2");  // its owner never came
}

TEST_F(OwnerGraphTest, TellsOfDependentsWhoseOwnerGoes) {
  put(1, {.owners = {9}});
  put(9, {.owners = {1}});
  graph_.begin();
  EXPECT_EQ(put(2, {.owners = {1}}), "");
  EXPECT_EQ(put(3, {.owners = {1}}), "");
  EXPECT_EQ(put(3, {.owners = {1}, .name_space = "team"}),
            "");  // nothing of it changed that counts
  EXPECT_EQ(remove(1), "o2 o3 o9");
  EXPECT_EQ(put(4, {.owners = {1}}), "o4");
}

TEST_F(OwnerGraphTest, TellsOfThoseWhoNameOthersWrongly) {
  put(1, {.owners = {9}});
  put(9, {.owners = {1}});
  graph_.begin();
  EXPECT_EQ(put(2, {.owners = {1}, .name_space = "team"}), "o2");
  EXPECT_EQ(put(5, {.owners = {6}}), "o5");
  EXPECT_EQ(put(6, {}), "");
  EXPECT_EQ(put(7, {.owners = {8}, .name_space = "team"}), "o7");
  EXPECT_EQ(put(8, {}), "o7");
}

TEST_F(OwnerGraphTest, TellsAllWhenSomebodyStartsToWait) {
  put(1, {.owners = {9}});
  put(9, {.owners = {1}});
  graph_.begin();
  put(2, {.owners = {1}});
  put(3, {.blocked = {1}});
  EXPECT_EQ(put(1, {.owners = {9}, .waits = true}), "o1 o2 o3 o9");
  EXPECT_EQ(put(4, {.owners = {1}}), "o4");
  // Whoever may unblock it brings it back.
  EXPECT_EQ(remove(2), "");
  EXPECT_EQ(remove(3), "o1");
}

TEST_F(OwnerGraphTest, TellsAnOwnerThatWaitsOfThoseWhoStopToBlock) {
  put(1, {.owners = {9}, .waits = true});
  put(2, {.blocked = {1}});
  graph_.begin();
  EXPECT_TRUE(blocked(1));
  EXPECT_EQ(put(2, {.owners = {1}}), "o1 o2");
  EXPECT_FALSE(blocked(1));
}

TEST_F(OwnerGraphTest, ThoseWhoWaitForTheirOwnerDoNotBlockIt) {
  struct Case {
    const char* name;
    std::map<int, std::vector<int>> owners;  // of each one
    std::set<int> waiting;
    std::set<int> blocked;  // of those who wait
  };
  const Case cases[] = {
      {"chain", {{1, {0}}, {2, {1}}, {3, {2}}}, {1, 2, 3}, {1, 2}},
      {"not deleted yet", {{1, {0}}, {2, {1}}}, {1}, {1}},
      {"self", {{1, {1}}}, {1}, {}},
      {"pair", {{1, {2}}, {2, {1}}}, {1, 2}, {}},
      {"pair, half deleted", {{1, {2}}, {2, {1}}}, {1}, {1}},
      {"circle", {{1, {3}}, {2, {1}}, {3, {2}}}, {1, 2, 3}, {}},
      {"circle with a leaf", {{1, {2}}, {2, {1}}, {3, {2}}}, {1, 2}, {2}},
      {"circle below", {{1, {0}}, {2, {1, 3}}, {3, {2}}}, {1, 2, 3}, {1}},
      {"two circles", {{1, {2}}, {2, {1}}, {3, {1, 4}}, {4, {3}}}, {1, 2, 3, 4}, {1}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    OwnerGraph graph(resources_);
    for (const auto& [number, owners] : c.owners) {
      graph.put(maps_, make(number, {.blocked = owners, .waits = c.waiting.contains(number)}));
    }
    for (const int number : c.waiting) {
      EXPECT_EQ(graph.is_blocked(uid_of(number)), c.blocked.contains(number)) << number;
    }
  }
}

}  // namespace
}  // namespace proa::controllers
