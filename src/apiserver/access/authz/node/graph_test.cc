#include "apiserver/access/authz/node/graph.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <chrono>

#include "json/parse.h"

namespace proa::apiserver {
namespace {

Reference secret(const std::string& name) { return {Relative::kSecret, name}; }
Reference claim(const std::string& name) { return {Relative::kClaim, name}; }

class NodeGraphTest : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& node,
           const std::vector<Reference>& references, const std::string& uid = "u",
           int64_t generation = 1) {
    graph_.put_pod("ns/" + name, {.name_space = "ns",
                                  .uid = uid,
                                  .generation = generation,
                                  .node = node,
                                  .has_claims = false,
                                  .references = references});
  }
  void put_volume(const std::string& name, const std::string& spec) {
    const json::Document document = json::parse(R"({"spec":{)" + spec + "}}").value();
    graph_.put_volume(name, document.root());
  }
  bool has(const std::string& node, Relative kind, const std::string& name) const {
    const bool global = kind == Relative::kVolume || kind == Relative::kAttachment;
    return graph_.is_related(node, kind, global ? "" : "ns", name);
  }
  bool has_secret(const std::string& node, const std::string& name) const {
    return has(node, Relative::kSecret, name);
  }

  NodeGraph graph_;
};

TEST_F(NodeGraphTest, SharesWhatSeveralPodsName) {
  put("p1", "n1", {secret("one"), secret("two"), secret("all")});
  put("p2", "n2", {secret("two"), secret("all")});
  put("p3", "n3", {secret("all")});
  const struct {
    std::string node;
    bool one, two, all;
  } cases[] = {{"n1", true, true, true}, {"n2", false, true, true}, {"n3", false, false, true}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.node);
    EXPECT_EQ(has_secret(c.node, "one"), c.one);
    EXPECT_EQ(has_secret(c.node, "two"), c.two);
    EXPECT_EQ(has_secret(c.node, "all"), c.all);
  }
  graph_.remove_pod("ns/p3");
  EXPECT_FALSE(has_secret("n3", "all"));
  EXPECT_TRUE(has_secret("n2", "all"));
}

TEST_F(NodeGraphTest, CountsPodsOfOneNode) {
  put("p1", "n1", {secret("a"), secret("a")});
  put("p2", "n1", {secret("a")});
  graph_.remove_pod("ns/p1");
  EXPECT_TRUE(has_secret("n1", "a"));
  EXPECT_TRUE(has("n1", Relative::kPod, "p2"));
  EXPECT_FALSE(has("n1", Relative::kPod, "p1"));
  graph_.remove_pod("ns/p2");
  graph_.remove_pod("ns/p2");
  EXPECT_FALSE(has_secret("n1", "a"));
}

TEST_F(NodeGraphTest, TakesAPodAsItIsNow) {
  put("p", "n1", {secret("a"), secret("b")});
  put("p", "n1", {secret("b"), secret("c")});
  EXPECT_FALSE(has_secret("n1", "a"));
  EXPECT_TRUE(has_secret("n1", "b"));
  EXPECT_TRUE(has_secret("n1", "c"));
  put("p", "n2", {secret("b")});
  EXPECT_FALSE(has_secret("n1", "b"));
  EXPECT_TRUE(has_secret("n2", "b"));
  put("p", "", {secret("b")});
  EXPECT_FALSE(has_secret("n2", "b"));
  EXPECT_FALSE(has("n2", Relative::kPod, "p"));
}

TEST_F(NodeGraphTest, KeepsKindsAndNamespacesApart) {
  put("p", "n1", {secret("x")});
  EXPECT_FALSE(has("n1", Relative::kConfigMap, "x"));
  EXPECT_FALSE(has("n1", Relative::kServiceAccount, "x"));
  EXPECT_FALSE(graph_.is_related("n1", Relative::kSecret, "other", "x"));
  EXPECT_FALSE(graph_.is_related("n1", Relative::kSecret, "", "x"));
  EXPECT_FALSE(graph_.is_related("n1", Relative::kSecret, "n", "sx"));
  EXPECT_FALSE(graph_.is_related("n1", Relative::kSecret, "nsx", ""));
  EXPECT_FALSE(graph_.is_related("", Relative::kSecret, "ns", "x"));
  EXPECT_FALSE(graph_.is_related("n1", Relative::kPod, "", "ns/p"));
}

TEST_F(NodeGraphTest, KnowsPodsByUidAndGeneration) {
  put("p", "n1", {}, "u1", 3);
  EXPECT_TRUE(graph_.knows_pod("ns/p", "u1", 3));
  EXPECT_FALSE(graph_.knows_pod("ns/p", "u1", 4));
  EXPECT_FALSE(graph_.knows_pod("ns/p", "u2", 3));
  EXPECT_FALSE(graph_.knows_pod("ns/q", "u1", 3));
  put("old", "n1", {}, "u1", 0);
  EXPECT_FALSE(graph_.knows_pod("ns/old", "u1", 0));
}

TEST_F(NodeGraphTest, FollowsClaimsToVolumesAndTheirSecrets) {
  put("p", "n1", {claim("data")});
  put("q", "n2", {claim("other")});
  EXPECT_FALSE(has("n1", Relative::kVolume, "pv"));
  put_volume("pv",
             R"("claimRef":{"namespace":"ns","name":"data"},"cephfs":{"secretRef":{"name":"s"}})");
  EXPECT_TRUE(has("n1", Relative::kVolume, "pv"));
  EXPECT_TRUE(has_secret("n1", "s"));
  EXPECT_FALSE(has("n2", Relative::kVolume, "pv"));
  EXPECT_FALSE(has_secret("n2", "s"));
  EXPECT_FALSE(graph_.is_related("n1", Relative::kVolume, "ns", "pv"));

  put_volume("pv",
             R"("claimRef":{"namespace":"ns","name":"other"},"cephfs":{"secretRef":{"name":"s"}})");
  EXPECT_FALSE(has_secret("n1", "s"));
  EXPECT_TRUE(has_secret("n2", "s"));
  put_volume("pv", R"("cephfs":{"secretRef":{"name":"s","namespace":"ns"}})");
  EXPECT_FALSE(has_secret("n2", "s"));
  EXPECT_FALSE(has("n2", Relative::kVolume, "pv"));
}

TEST_F(NodeGraphTest, FindsASecretOfManyVolumes) {
  const std::string csi =
      R"("csi":{"driver":"d","nodeStageSecretRef":{"name":"s","namespace":"ns"},)"
      R"("nodePublishSecretRef":{"name":"s","namespace":"ns"}})";
  for (int i = 0; i < 50; ++i) {
    const std::string number = std::to_string(i);
    put_volume("pv" + number, R"("claimRef":{"namespace":"ns","name":"c)" + number + "\"}," + csi);
  }
  put("few", "n1", {claim("c7")});
  put("none", "n2", {claim("elsewhere")});
  std::vector<Reference> claims{claim("c3")};
  for (int i = 0; i < 100; ++i) claims.push_back(claim("unbound" + std::to_string(i)));
  put("many", "n3", claims);
  EXPECT_TRUE(has_secret("n1", "s"));
  EXPECT_FALSE(has_secret("n2", "s"));
  EXPECT_TRUE(has_secret("n3", "s"));
  graph_.remove_volume("pv7");
  graph_.remove_volume("pv3");
  EXPECT_FALSE(has_secret("n1", "s"));
  EXPECT_FALSE(has_secret("n3", "s"));
}

TEST_F(NodeGraphTest, PlacesAttachmentsAndSlices) {
  graph_.place(Relative::kAttachment, "a", "n1");
  graph_.place(Relative::kSlice, "a", "n2");
  EXPECT_TRUE(has("n1", Relative::kAttachment, "a"));
  EXPECT_FALSE(has("n2", Relative::kAttachment, "a"));
  EXPECT_TRUE(graph_.is_related("n2", Relative::kSlice, "", "a"));
  EXPECT_FALSE(graph_.is_related("n1", Relative::kSlice, "", "a"));
  graph_.place(Relative::kAttachment, "a", "n2");
  EXPECT_FALSE(has("n1", Relative::kAttachment, "a"));
  graph_.place(Relative::kAttachment, "a", "");
  EXPECT_FALSE(has("n2", Relative::kAttachment, "a"));
  EXPECT_FALSE(has("", Relative::kAttachment, "a"));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// 20 pods per node, each with the usual references, and its own secret and claim.
TEST_F(NodeGraphTest, TakesLittleMemoryAndTime) {
  constexpr int kNodes = 1000;
  constexpr int kPods = 20 * kNodes;
  const auto name = [](int i) { return "deployment-name-" + std::to_string(i); };
  const size_t before = mallinfo2().uordblks;
  for (int i = 0; i < kPods; ++i) {
    put(name(i) + "-7d9c5b7f4-x2x4z", "node-" + std::to_string(i % kNodes),
        {{Relative::kServiceAccount, "default"},
         {Relative::kConfigMap, "kube-root-ca.crt"},
         secret(name(i) + "-secret"),
         claim(name(i) + "-claim")},
        "7d444840-9dc0-11d1-b245-5ffdce74fad2");
  }
  const size_t bytes = (mallinfo2().uordblks - before) / kPods;
  RecordProperty("bytes_per_pod", static_cast<int>(bytes));
  EXPECT_LT(bytes, 700U);

  int allowed = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kPods; ++i) {
    allowed +=
        has_secret("node-" + std::to_string((i * 7) % kNodes), name(i * 7 % kPods) + "-secret");
  }
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(allowed, kPods);
  RecordProperty("nanoseconds_per_decision",
                 static_cast<int>(std::chrono::nanoseconds(took).count() / kPods));
  EXPECT_LT(took / kPods, std::chrono::microseconds(100));
}

#endif

}  // namespace
}  // namespace proa::apiserver
