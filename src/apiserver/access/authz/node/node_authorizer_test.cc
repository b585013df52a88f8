#include "apiserver/access/authz/node/node_authorizer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "api/schema/builtin.h"
#include "api/selector/field_selector.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/print.h"
#include "store/memory/memory_store.h"
#include "testkit/fake_clock.h"
#include "testkit/golden.h"

namespace proa::apiserver {
namespace {

User node_user(std::string_view node) {
  return {.name = "system:node:" + std::string(node),
          .uid = {},
          .groups = {"system:nodes", "system:authenticated"},
          .extra = {}};
}

class NodeAuthorizerTest : public testing::Test {
 protected:
  void put(const std::string& key, const std::string& json) {
    const json::Document document = json::parse(json).value();
    ASSERT_TRUE(
        store_
            ->commit({.compares = {},
                      .operations = {store::Put{.key = "/registry/" + key,
                                                .value = Bytes(json::print(document.root()))}}},
                     store::Durability::kSynced)
            .ok());
  }
  void remove(const std::string& key) {
    ASSERT_TRUE(store_
                    ->commit({.compares = {}, .operations = {store::Delete{"/registry/" + key}}},
                             store::Durability::kSynced)
                    .ok());
  }
  void put_pod(const std::string& name, const std::string& node, const std::string& spec = "",
               const std::string& metadata = "", const std::string& status = "") {
    put("pods/ns/" + name, R"({"kind":"Pod","metadata":{"name":")" + name +
                               R"(","namespace":"ns","uid":"u-)" + name + R"(","generation":1)" +
                               metadata + R"(},"spec":{"nodeName":")" + node + "\"" + spec +
                               R"(},"status":{)" + status + "}}");
  }
  // The objects of upstream's tests, twice: a pod on a node, and all it references.
  void put_world() {
    for (const std::string node : {"node0", "node1"}) {
      put_pod(
          "pod-" + node, node,
          R"(,"serviceAccountName":"robot-)" + node +
              R"(","volumes":[{"name":"a","secret":{"secretName":"secret-)" + node +
              R"("}},{"name":"b","configMap":{"name":"config-)" + node +
              R"("}},{"name":"c","persistentVolumeClaim":{"claimName":"claim-)" + node +
              R"("}},{"name":"d","secret":{"secretName":"shared"}}],"resourceClaims":[)" +
              R"({"name":"x","resourceClaimName":"device-)" + node +
              R"("},{"name":"y","resourceClaimTemplateName":"t"}])",
          "",
          R"("resourceClaimStatuses":[{"name":"y","resourceClaimName":"made-)" + node + R"("}])");
      put("persistentvolumes/volume-" + node,
          R"({"spec":{"claimRef":{"namespace":"ns","name":"claim-)" + node +
              R"("},"cephfs":{"secretRef":{"name":"volume-secret-)" + node + R"("}}}})");
      put("volumeattachments/attachment-" + node, R"({"spec":{"nodeName":")" + node + "\"}}");
      put("resourceslices/slice-" + node, R"({"spec":{"nodeName":")" + node + "\"}}");
    }
  }

  Verdict ask(const User& user, std::string_view verb, std::string_view resource,
              std::string_view name_space, std::string_view name) {
    Attributes attributes;
    attributes.user = &user;
    attributes.verb = verb;
    attributes.resource = resource;
    attributes.name_space = name_space;
    attributes.name = name;
    return authorizer_.authorize(attributes);
  }
  bool may_get(std::string_view node, std::string_view resource, std::string_view name) {
    const bool global = resource == "persistentvolumes";
    return ask(node_user(node), "get", resource, global ? "" : "ns", name).allowed();
  }

  // "node0 get leases.coordination.k8s.io/status ns/name ?spec.nodeName=x"; "-" for no name.
  std::string answer(std::string_view line) {
    const std::vector<std::string_view> words = split(line, ' ');
    const User user = node_user(words.at(0));
    Attributes attributes;
    attributes.user = &user;
    attributes.verb = words.at(1);
    std::string_view resource = words.at(2);
    if (const auto halves = split_once(resource, '/')) {
      resource = halves->before;
      attributes.subresource = halves->after;
    }
    if (resource.empty()) {
      attributes.is_resource = false;
      attributes.path = words.at(2);
    }
    if (const auto halves = split_once(resource, '.')) {
      resource = halves->before;
      attributes.group = halves->after;
    }
    attributes.resource = resource;
    std::string_view name = words.size() > 3 ? words[3] : "";
    if (const auto halves = split_once(name, '/')) {
      attributes.name_space = halves->before;
      name = halves->after;
    }
    attributes.name = name == "-" ? "" : name;
    api::FieldSelector selector;
    if (words.size() > 4) selector = api::FieldSelector::parse(words[4].substr(1)).value();
    attributes.fields = selector.terms();
    const Verdict verdict = authorizer_.authorize(attributes);
    EXPECT_NE(verdict.decision, Decision::kDeny);
    return (verdict.allowed() ? "yes" : "no") +
           (verdict.reason.empty() ? "" : ": " + verdict.reason);
  }
  void run_script(const std::string& file) {
    put_world();
    testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata" / file,
                        [this](std::string_view command) {
                          std::string answers;
                          for (const std::string_view line : split(command, '\n')) {
                            if (line.empty() || line.front() == '#') continue;
                            if (!answers.empty()) answers += "\n";
                            answers += answer(line);
                          }
                          return answers;
                        });
  }

  testkit::FakeClock clock_;
  std::unique_ptr<store::Store> store_ = store::make_memory_store(clock_);
  NodeAuthorizer authorizer_{*store_, api::builtin_schema()};
};

TEST_F(NodeAuthorizerTest, DecidesAsUpstream) { run_script("node_authorizer.txt"); }

TEST_F(NodeAuthorizerTest, LetsNodesSelectTheirOwn) { run_script("selectors.txt"); }

TEST_F(NodeAuthorizerTest, LetsNodesFollowTheirLocalVolumes) {
  const User user = node_user("n1");
  const auto lists = [&](std::string_view verb, std::string_view labels) {
    const api::LabelSelector selector = api::LabelSelector::parse(labels).value();
    Attributes attributes;
    attributes.user = &user;
    attributes.verb = verb;
    attributes.resource = "persistentvolumes";
    attributes.labels = selector.requirements();
    return authorizer_.authorize(attributes).allowed();
  };
  EXPECT_TRUE(lists("list", "proa.dev/local-path-node=n1"));
  EXPECT_TRUE(lists("watch", "proa.dev/local-path-node=n1,a=b"));
  EXPECT_FALSE(lists("list", "proa.dev/local-path-node=n2"));
  EXPECT_FALSE(lists("list", "proa.dev/local-path-node in (n1,n2)"));
  EXPECT_FALSE(lists("list", "proa.dev/local-path-node!=n1"));
  EXPECT_FALSE(lists("list", "proa.dev/local-path-node"));
  EXPECT_FALSE(lists("list", ""));
  EXPECT_FALSE(lists("deletecollection", "proa.dev/local-path-node=n1"));
  const auto may = [&](std::string_view verb, std::string_view name) {
    return ask(user, verb, "persistentvolumes", "", name).allowed();
  };
  EXPECT_FALSE(may("update", "v"));
  put("persistentvolumes/v",
      R"({"metadata":{"name":"v","labels":{"proa.dev/local-path-node":"n1"}},"spec":{}})");
  EXPECT_TRUE(may("update", "v"));
  EXPECT_TRUE(may("patch", "v"));
  EXPECT_FALSE(may("delete", "v"));
  EXPECT_FALSE(ask(node_user("n2"), "update", "persistentvolumes", "", "v").allowed());
  remove("persistentvolumes/v");
  EXPECT_FALSE(may("update", "v"));
}

TEST_F(NodeAuthorizerTest, HasNoOpinionAboutOthers) {
  put_world();
  const User somebody{.name = "somebody", .uid = {}, .groups = {"system:masters"}, .extra = {}};
  EXPECT_EQ(ask(somebody, "get", "secrets", "ns", "secret-node0").decision, Decision::kNoOpinion);
  User no_group = node_user("node0");
  no_group.groups = {"system:authenticated"};
  EXPECT_EQ(ask(no_group, "get", "secrets", "ns", "secret-node0").decision, Decision::kNoOpinion);
  const Verdict nameless = ask(node_user(""), "get", "nodes", "", "");
  EXPECT_EQ(nameless.decision, Decision::kNoOpinion);
  EXPECT_EQ(nameless.reason, "unknown node for user \"system:node:\"");
  EXPECT_EQ(authorizer_.authorize({}).decision, Decision::kNoOpinion);
}

TEST_F(NodeAuthorizerTest, CannotListWhatNodesMayDo) {
  RuleList rules;
  authorizer_.list_rules({.name = "somebody", .uid = {}, .groups = {}, .extra = {}}, "ns", rules);
  EXPECT_FALSE(rules.incomplete);
  authorizer_.list_rules(node_user("node0"), "ns", rules);
  EXPECT_TRUE(rules.incomplete);
  EXPECT_EQ(rules.error, "node authorizer does not support user rule resolution");
  EXPECT_TRUE(rules.resources.empty());
}

TEST_F(NodeAuthorizerTest, FollowsWhatIsWritten) {
  EXPECT_FALSE(may_get("n1", "secrets", "s"));
  const std::string volume = R"(,"volumes":[{"name":"v","secret":{"secretName":"s"}}])";
  put_pod("p", "", volume);
  EXPECT_FALSE(may_get("n1", "secrets", "s"));
  put_pod("p", "n1", volume);
  EXPECT_TRUE(may_get("n1", "secrets", "s"));
  EXPECT_TRUE(may_get("n1", "pods", "p"));
  EXPECT_FALSE(may_get("n2", "secrets", "s"));
  remove("pods/ns/p");
  EXPECT_FALSE(may_get("n1", "secrets", "s"));
  EXPECT_FALSE(may_get("n1", "pods", "p"));
}

TEST_F(NodeAuthorizerTest, SeesWhatADebuggerAdds) {
  put_pod("p", "n1");
  EXPECT_FALSE(may_get("n1", "secrets", "s"));
  const std::string debugger =
      R"(,"ephemeralContainers":[{"name":"d","envFrom":[{"secretRef":{"name":"s"}}]}])";
  put("pods/ns/p", R"({"metadata":{"name":"p","namespace":"ns","uid":"u-p","generation":2},)"
                   R"("spec":{"nodeName":"n1")" +
                       debugger + "}}");
  EXPECT_TRUE(may_get("n1", "secrets", "s"));
}

TEST_F(NodeAuthorizerTest, SeesClaimsThatComeWithTheStatus) {
  const auto may_get_claim = [this] {
    const User user = node_user("n1");
    Attributes attributes;
    attributes.user = &user;
    attributes.verb = "get";
    attributes.group = "resource.k8s.io";
    attributes.resource = "resourceclaims";
    attributes.name_space = "ns";
    attributes.name = "made";
    return authorizer_.authorize(attributes).allowed();
  };
  const std::string spec = R"(,"resourceClaims":[{"name":"x","resourceClaimTemplateName":"t"}])";
  put_pod("p", "n1", spec);
  EXPECT_FALSE(may_get_claim());
  put_pod("p", "n1", spec, "",
          R"("resourceClaimStatuses":[{"name":"x","resourceClaimName":"made"}])");
  EXPECT_TRUE(may_get_claim());
  put_pod("p", "n1", spec);
  EXPECT_FALSE(may_get_claim());
  put_pod("p", "n1", spec, "", R"("extendedResourceClaimStatus":{"resourceClaimName":"made"})");
  EXPECT_TRUE(may_get_claim());
}

TEST_F(NodeAuthorizerTest, ForgetsWhatAPodOfThatNameHadBefore) {
  put_pod("p", "n1", R"(,"imagePullSecrets":[{"name":"old"}])");
  EXPECT_TRUE(may_get("n1", "secrets", "old"));
  remove("pods/ns/p");
  put("pods/ns/p", R"({"metadata":{"name":"p","namespace":"ns","uid":"another","generation":1},)"
                   R"("spec":{"nodeName":"n2","imagePullSecrets":[{"name":"new"}]}})");
  EXPECT_FALSE(may_get("n1", "secrets", "old"));
  EXPECT_FALSE(may_get("n2", "secrets", "old"));
  EXPECT_TRUE(may_get("n2", "secrets", "new"));
}

// An attacker with a node: it can create mirror pods, and write their status.
TEST_F(NodeAuthorizerTest, GivesNothingForMirrorPods) {
  put_pod("m", "n1",
          R"(,"serviceAccountName":"admin","imagePullSecrets":[{"name":"s"}],)"
          R"("volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}])",
          R"(,"annotations":{"kubernetes.io/config.mirror":"x"})",
          R"("extendedResourceClaimStatus":{"resourceClaimName":"made"})");
  EXPECT_TRUE(may_get("n1", "pods", "m"));
  EXPECT_FALSE(may_get("n1", "secrets", "s"));
  EXPECT_FALSE(may_get("n1", "serviceaccounts", "admin"));
  EXPECT_FALSE(may_get("n1", "persistentvolumeclaims", "c"));
  // Without the annotation, as a status update could leave it: the same pod, and still no access.
  put_pod("m", "n1", R"(,"serviceAccountName":"admin","imagePullSecrets":[{"name":"s"}])");
  EXPECT_FALSE(may_get("n1", "secrets", "s"));
}

// Authors of claims may name any volume; only the volume's claimRef counts.
TEST_F(NodeAuthorizerTest, DoesNotBelieveClaims) {
  put("persistentvolumeclaims/ns/mine", R"({"spec":{"volumeName":"theirs"}})");
  put("persistentvolumes/theirs",
      R"({"spec":{"claimRef":{"namespace":"other","name":"mine"},"csi":{"driver":"d",)"
      R"("nodeStageSecretRef":{"name":"s","namespace":"ns"}}}})");
  put_pod("p", "n1", R"(,"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"mine"}}])");
  EXPECT_TRUE(may_get("n1", "persistentvolumeclaims", "mine"));
  EXPECT_FALSE(may_get("n1", "persistentvolumes", "theirs"));
  EXPECT_FALSE(may_get("n1", "secrets", "s"));
}

TEST_F(NodeAuthorizerTest, EnduresOddNames) {
  put_pod("p", "n1", R"(,"imagePullSecrets":[{"name":"a/b"},{"name":"c\"d"},{"name":""}])");
  EXPECT_FALSE(ask(node_user("n1"), "get", "secrets", "ns/a", "b").allowed());
  EXPECT_FALSE(ask(node_user("n1"), "get", "secrets", "n", "s").allowed());
  EXPECT_FALSE(may_get("n1", "secrets", ""));
  EXPECT_FALSE(may_get("n1/p", "pods", "p"));
  EXPECT_FALSE(may_get(std::string(1 << 20, 'x'), "secrets", std::string(1 << 20, 'y')));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

TEST_F(NodeAuthorizerTest, DecidesInMicroseconds) {
  constexpr int kPods = 2000;
  for (int i = 0; i < kPods; ++i) {
    put_pod("p" + std::to_string(i), "node" + std::to_string(i % 100),
            R"(,"volumes":[{"name":"v","secret":{"secretName":"s)" + std::to_string(i) + R"("}}])");
  }
  authorizer_.prepare();
  int allowed = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kPods; ++i) {
    allowed += may_get("node" + std::to_string(i % 100), "secrets", "s" + std::to_string(i));
  }
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(allowed, kPods);
  RecordProperty("nanoseconds_per_decision",
                 static_cast<int>(std::chrono::nanoseconds(took).count() / kPods));
  EXPECT_LT(took / kPods, std::chrono::microseconds(200));
}

#endif

}  // namespace
}  // namespace proa::apiserver
