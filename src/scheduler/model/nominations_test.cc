#include "scheduler/model/nominations.h"

#include <gtest/gtest.h>

#include <utility>

#include "testkit/scheduler/builders.h"

namespace proa::scheduler {
namespace {

PodPtr read(std::string_view name) {
  PodReader reader;
  return reader.read(testkit::make_pod(name).object());
}

TEST(Nominations, ListsPodsByNode) {
  Nominations nominations;
  const PodPtr a = read("a");
  const PodPtr b = read("b");
  nominations.set(a, api::NodeNameView("n1"));
  nominations.set(b, api::NodeNameView("n1"));
  EXPECT_EQ(nominations.on(api::NodeNameView("n1")), (std::vector<PodPtr>{a, b}));
  EXPECT_TRUE(nominations.on(api::NodeNameView("n2")).empty());
  EXPECT_TRUE(nominations.has(a->uid()));
  EXPECT_EQ(nominations.node_of(a->uid()), "n1");
  EXPECT_EQ(nominations.find(b->uid()), b);
}

TEST(Nominations, HasAPodOnOneListOnly) {
  Nominations nominations;
  const PodPtr a = read("a");
  nominations.set(a, api::NodeNameView("n1"));
  const PodPtr later = read("a");
  nominations.set(later, api::NodeNameView("n2"));
  EXPECT_TRUE(nominations.on(api::NodeNameView("n1")).empty());
  EXPECT_EQ(nominations.on(api::NodeNameView("n2")), std::vector<PodPtr>{later});
  nominations.set(a, api::NodeNameView(""));
  EXPECT_TRUE(nominations.empty());
  EXPECT_EQ(nominations.find(a->uid()), nullptr);
  EXPECT_EQ(nominations.node_of(a->uid()), "");
}

TEST(Nominations, TellOfNodesWhoseListsChange) {
  std::string told;
  Nominations nominations([&](api::NodeNameView node) { told.append(node.view()).append(" "); });
  const PodPtr a = read("a");
  nominations.remove(a->uid());
  nominations.set(a, api::NodeNameView(""));
  EXPECT_EQ(told, "");
  nominations.set(a, api::NodeNameView("n1"));
  nominations.set(a, api::NodeNameView("n2"));
  EXPECT_EQ(std::exchange(told, ""), "n1 n1 n2 ");
  nominations.remove(a->uid());
  EXPECT_EQ(told, "n2 ");
  EXPECT_TRUE(nominations.by_node().empty());
}

TEST(Nominations, KeepTheLatestStateOfAPod) {
  std::string told;
  Nominations nominations([&](api::NodeNameView node) { told.append(node.view()).append(" "); });
  PodReader reader;
  const PodPtr first = reader.read(testkit::make_pod("a").object());
  const PodPtr later = reader.read(testkit::make_pod("a").nominated("n1").object());
  const PodPtr other = reader.read(testkit::make_pod("a").label("app", "web").object());
  nominations.set(first, api::NodeNameView("n1"));
  told.clear();
  nominations.set(later, api::NodeNameView("n1"));
  EXPECT_EQ(nominations.find(first->uid()), later);
  EXPECT_EQ(told, "") << "nothing that counts is different";
  nominations.set(other, api::NodeNameView("n1"));
  EXPECT_EQ(nominations.on(api::NodeNameView("n1")), std::vector<PodPtr>{other});
  EXPECT_EQ(told, "n1 ");
}

}  // namespace
}  // namespace proa::scheduler
