#include "policy/model/policy_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/strings.h"
#include "testkit/golden.h"
#include "testkit/policy/policy_text.h"

namespace proa::policy {
namespace {

// "ask A B TCP/80" with one connection a line; else objects.
std::string run(PolicyModel& model, std::string_view command) {
  if (!command.starts_with("ask")) {
    testkit::put_objects(model, command);
    return {};
  }
  std::string text;
  for (const std::string_view line : split(command, '\n')) {
    if (line == "ask" || line.starts_with('#')) continue;
    text +=
        fmt::format("{}: {}\n", line, model.allows(testkit::read_connection(line)) ? "yes" : "no");
  }
  return text;
}

TEST(PolicyModel, AllowsWhatPoliciesSay) {
  PolicyModel model;
  testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata/allows.txt",
                      [&](std::string_view command) { return run(model, command); });
}

PodFacts pod(const char* address, const char* app, bool local = true) {
  return {.local = local, .labels = {{"app", app}}, .addresses = {parse_ip(address).value()}};
}

PolicyFacts from_app(const char* selected, const char* app) {
  const auto selector = [](const char* value) {
    return api::LabelSelector::parse(std::string("app=") + value).value();
  };
  return {.pods = selector(selected),
          .ingress = true,
          .from = {{.peers = {PodPeer{.name_space = "a", .pods = selector(app)}}}}};
}

TEST(PolicyModel, TakesWhatChanged) {
  PolicyModel model;
  model.set_pod({"a", "server"}, pod("10.0.0.1", "server"));
  model.set_pod({"a", "client"}, pod("10.0.0.2", "client", false));
  ModelChange change = model.take();
  EXPECT_EQ(change.pods.size(), 1u);
  EXPECT_TRUE(change.created.empty());
  EXPECT_TRUE(change.sets.created.empty());

  // Only a policy that selects a pod of this node matters.
  model.set_policy({"a", "other"}, from_app("nobody", "client"));
  EXPECT_TRUE(model.take().empty());
  model.set_policy({"a", "p"}, from_app("server", "client"));
  change = model.take();
  ASSERT_EQ(change.created.size(), 1u);
  ASSERT_EQ(change.sets.created.size(), 1u);
  EXPECT_EQ(change.sets.elements.begin()->second.added.size(), 1u);
  EXPECT_EQ(change.pods, std::set{parse_ip("10.0.0.1").value()});
  const SetId set = change.sets.created[0];

  // The same again changes nothing; another pod changes the set alone.
  model.set_policy({"a", "p"}, from_app("server", "client"));
  model.set_pod({"a", "client"}, pod("10.0.0.2", "client", false));
  EXPECT_TRUE(model.take().empty());
  model.set_pod({"a", "client-2"}, pod("10.0.0.3", "client", false));
  change = model.take();
  EXPECT_TRUE(change.pods.empty());
  ASSERT_EQ(change.sets.elements.size(), 1u);
  EXPECT_EQ(change.sets.elements.at(set).added.size(), 1u);
  // What came and went since the last time is not told.
  model.set_pod({"a", "client-3"}, pod("10.0.0.4", "client", false));
  model.set_pod({"a", "client-3"}, std::nullopt);
  EXPECT_TRUE(model.take().empty());
  // Two pods with the same address: it stays with the second.
  model.set_pod({"a", "client-4"}, pod("10.0.0.3", "client", false));
  model.set_pod({"a", "client-2"}, std::nullopt);
  EXPECT_TRUE(model.take().empty());

  // A changed policy is another one; a set that both use stays.
  PolicyFacts more = from_app("server", "client");
  more.from[0].ports = {{.first = 80, .last = 80}};
  model.set_policy({"a", "p"}, more);
  change = model.take();
  EXPECT_EQ(change.created.size(), 1u);
  EXPECT_EQ(change.removed.size(), 1u);
  EXPECT_TRUE(change.sets.created.empty());
  EXPECT_TRUE(change.sets.removed.empty());

  model.set_pod({"a", "server"}, std::nullopt);
  change = model.take();
  EXPECT_EQ(change.removed.size(), 1u);
  EXPECT_EQ(change.sets.removed, std::vector{set});
  EXPECT_TRUE(model.everything().empty());
}

TEST(PolicyModel, SharesEqualPeers) {
  PolicyModel model;
  model.set_pod({"a", "server"}, pod("10.0.0.1", "server"));
  for (const char* name : {"p", "q", "r"}) {
    model.set_policy({"a", name}, from_app("server", "client"));
  }
  const ModelChange change = model.take();
  EXPECT_EQ(change.created.size(), 3u);
  EXPECT_EQ(change.sets.created.size(), 1u);
}

}  // namespace
}  // namespace proa::policy
