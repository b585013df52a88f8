#include "testkit/apiserver/restriction_case.h"

namespace proa::apiserver {
namespace {

std::string node_json(const std::string& metadata, const std::string& spec = "") {
  return R"({"metadata":{"name":"mynode","uid":"u")" + metadata + R"(},"spec":{)" + spec + "}}";
}

std::string labels_json(const std::vector<std::string>& labels, const std::string& value = "v") {
  std::string text;
  for (const std::string& label : labels) {
    text += (text.empty() ? "\"" : ",\"") + label + "\":\"" + value + "\"";
  }
  return R"(,"labels":{)" + text + "}";
}

const std::vector<std::string> kAllowed = {
    "foo",
    "example.com/foo",
    "kubernetes.io/hostname",
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "beta.kubernetes.io/instance-type",
    "node.kubernetes.io/instance-type",
    "beta.kubernetes.io/os",
    "beta.kubernetes.io/arch",
    "kubernetes.io/os",
    "kubernetes.io/arch",
    "kubelet.kubernetes.io/foo",
    "foo.kubelet.kubernetes.io/foo",
    "node.kubernetes.io/foo",
    "foo.node.kubernetes.io/foo",
    "notkubernetes.io/foo",
    "notk8s.io/foo",
    "kubernetes.io.example.com/foo",
};
const std::vector<std::string> kForbidden = {
    "foo.node-restriction.kubernetes.io/foo",
    "node-restriction.kubernetes.io/foo",
    "other.k8s.io/foo",
    "other.kubernetes.io/foo",
};
const std::string kForbiddenText =
    "foo.node-restriction.kubernetes.io/foo, node-restriction.kubernetes.io/foo, "
    "other.k8s.io/foo, other.kubernetes.io/foo";

class RestrictNodesTest : public RestrictionTest {
 protected:
  std::string change(const std::string& now, const std::string& old) {
    const std::string answer = update("nodes", "mynode", now, old);
    EXPECT_EQ(update("nodes/status", "mynode", now, old), answer);
    return answer;
  }
};

TEST_F(RestrictNodesTest, NodesChangeThemselvesOnly) {
  const std::string mine = node_json("");
  EXPECT_EQ(create("nodes", "", mine), "");
  EXPECT_EQ(create("nodes", "mynode", mine), "");
  EXPECT_EQ(change(mine, mine), "");
  EXPECT_EQ(remove("nodes", "mynode", mine), "");
  const std::string taint = R"("taints":[{"effect":"NoSchedule","key":")";
  EXPECT_EQ(remove("nodes", "mynode", node_json("", taint + R"(node.kubernetes.io/not-ready"}])")),
            "");
  EXPECT_NE(
      remove("nodes", "mynode", node_json("", taint + R"(node.kubernetes.io/out-of-service"}])")),
      "");
  EXPECT_EQ(remove("nodes", "mynode", node_json("", taint + R"(team"}])")),
            "nodes \"mynode\" is forbidden: node \"mynode\" is not allowed to delete itself while "
            "it has taints");
  EXPECT_EQ(remove("nodes", "mynode", node_json(labels_json(kForbidden))),
            "nodes \"mynode\" is forbidden: node \"mynode\" is not allowed to delete itself while "
            "it has the labels: " +
                kForbiddenText);

  const std::string other = R"({"metadata":{"name":"othernode"}})";
  const std::string refused =
      "nodes \"othernode\" is forbidden: node \"mynode\" is not allowed to "
      "modify node \"othernode\"";
  EXPECT_EQ(create("nodes", "", other), refused);
  EXPECT_EQ(update("nodes", "othernode", other, other), refused);
  EXPECT_EQ(update("nodes/status", "othernode", mine, other), refused);
  EXPECT_EQ(remove("nodes", "othernode", other), refused);
  EXPECT_EQ(create("nodes", "", R"({"metadata":{"generateName":"mynode"}})"),
            "nodes \"mynode\" is forbidden: node \"mynode\" is not allowed to modify node \"\"");
}

TEST_F(RestrictNodesTest, PodRangesAreOfTheClusterAndNotOfOthers) {
  put("minions/other", R"({"metadata":{"name":"other"},"spec":{"podCIDRs":["10.244.1.0/24"]}})");
  put("minions/mynode", R"({"metadata":{"name":"mynode"},"spec":{"podCIDRs":["10.244.5.0/24"]}})");
  const auto node = [](const std::string& range) {
    return node_json("", R"("podCIDR":")" + range + R"(","podCIDRs":[")" + range + R"("])");
  };
  const std::string refused =
      "nodes \"mynode\" is forbidden: node \"mynode\" is not allowed to have the pod CIDR ";
  EXPECT_EQ(create("nodes", "", node("10.244.2.0/24")), "");
  EXPECT_EQ(change(node("10.244.2.0/24"), node_json("")), "");
  for (const char* range : {"10.244.1.0/24", "10.244.1.128/25", "10.244.0.0/16"}) {
    const std::string why = refused + range + ", which overlaps that of node \"other\"";
    EXPECT_EQ(create("nodes", "", node(range)), why);
    EXPECT_EQ(change(node(range), node_json("")), why);
  }
  for (const char* range : {"8.0.0.0/8", "10.0.0.0/8", "127.0.0.0/8", "0.0.0.0/0", "fd00::/64"}) {
    EXPECT_EQ(create("nodes", "", node(range)),
              refused + range + ", which is not in the cluster's (--cluster-cidr)");
  }
  // What it has, whoever gave it.
  EXPECT_EQ(change(node("8.0.0.0/8"), node("8.0.0.0/8")), "");
}

TEST_F(RestrictNodesTest, LabelsOfTheSystemAreNotForNodes) {
  EXPECT_EQ(create("nodes", "", node_json(labels_json(kAllowed))), "");
  EXPECT_EQ(create("nodes", "", node_json(labels_json(kForbidden))),
            "nodes \"mynode\" is forbidden: node \"mynode\" is not allowed to set the following "
            "labels: " +
                kForbiddenText);
  const std::string refused =
      "nodes \"mynode\" is forbidden: is not allowed to modify labels: " + kForbiddenText;
  EXPECT_EQ(change(node_json(labels_json(kForbidden)), node_json("")), refused);
  EXPECT_EQ(change(node_json(""), node_json(labels_json(kForbidden))), refused);
  EXPECT_EQ(change(node_json(labels_json(kForbidden, "new")), node_json(labels_json(kForbidden))),
            refused);
  EXPECT_EQ(change(node_json(labels_json(kForbidden, "")), node_json("")), refused);
  EXPECT_EQ(change(node_json(labels_json(kAllowed)), node_json("")), "");
  EXPECT_EQ(change(node_json(""), node_json(labels_json(kAllowed))), "");
  EXPECT_EQ(change(node_json(labels_json(kAllowed, "b")), node_json(labels_json(kAllowed))), "");

  std::vector<std::string> all = kAllowed;
  all.insert(all.end(), kForbidden.begin(), kForbidden.end());
  EXPECT_EQ(change(node_json(labels_json(all)), node_json(labels_json(all))), "");
  EXPECT_EQ(change(node_json(labels_json(all)), node_json(labels_json(kForbidden))), "");
  EXPECT_EQ(change(node_json(labels_json(kForbidden)), node_json(labels_json(all))), "");
}

TEST_F(RestrictNodesTest, EachLabelThatLooksAllowedIsLookedAtWhole) {
  for (const std::string label :
       {"kubernetes.io/role", "node-role.kubernetes.io/master", "k8s.io/x", "x.k8s.io/y",
        "xkubelet.kubernetes.io/y", "kubernetes.io/hostname2", "kubernetes.io/",
        "node.node-restriction.kubernetes.io/x", "node.kubernetes.io.k8s.io/x"}) {
    SCOPED_TRACE(label);
    EXPECT_EQ(
        change(node_json(labels_json({label})), node_json("")),
        "nodes \"mynode\" is forbidden: is not allowed to modify labels: " + std::string(label));
  }
  // Even if kubelets could set the label otherwise.
  EXPECT_NE(change(node_json(labels_json({"x.node-restriction.kubernetes.io/y"})), node_json("")),
            "");
}

TEST_F(RestrictNodesTest, TaintsAreForNewNodesOnly) {
  const auto taint = [](const std::string& value) {
    return node_json("",
                     R"("taints":[{"key":"k","value":")" + value + R"(","effect":"NoSchedule"}])");
  };
  const std::string refused =
      "nodes \"mynode\" is forbidden: node \"mynode\" is not allowed to modify taints";
  EXPECT_EQ(create("nodes", "", taint("a")), "");
  EXPECT_EQ(change(taint("a"), taint("a")), "");
  EXPECT_EQ(change(taint("a"), node_json("")), refused);
  EXPECT_EQ(change(node_json(""), taint("a")), refused);
  EXPECT_EQ(change(node_json("", R"("taints":[])"), taint("a")), refused);
  EXPECT_EQ(change(taint("b"), taint("a")), refused);
  EXPECT_EQ(change(node_json("", R"("taints":[])"), node_json("")), "");
}

// CVE-2025-5187: with an owner that does not exist, the garbage collector deletes the node, which
// then registers again with other taints and labels.
TEST_F(RestrictNodesTest, OwnersStayAsTheyAre) {
  const auto owned = [](const std::string& name, const std::string& more = "") {
    return node_json(R"(,"ownerReferences":[{"apiVersion":"v1","kind":"Secret","name":")" + name +
                     R"(","uid":"x")" + more + "}]");
  };
  const std::string refused =
      "nodes \"mynode\" is forbidden: node \"mynode\" is not allowed to modify ownerReferences";
  EXPECT_EQ(change(owned("a"), owned("a")), "");
  EXPECT_EQ(change(owned("a"), node_json("")), refused);
  EXPECT_EQ(change(node_json(""), owned("a")), refused);
  EXPECT_EQ(change(owned("b"), owned("a")), refused);
  EXPECT_EQ(change(owned("a", R"(,"controller":true)"), owned("a")), refused);
  EXPECT_EQ(change(owned("a", R"(,"blockOwnerDeletion":true)"), owned("a")), refused);
}

TEST_F(RestrictNodesTest, ConfigSourcesMayOnlyGo) {
  const auto source = [](const std::string& name) {
    return node_json("", R"("configSource":{"configMap":{"name":")" + name + R"("}})");
  };
  EXPECT_EQ(create("nodes", "", source("a")),
            "nodes \"mynode\" is forbidden: node \"mynode\" is not allowed to create pods with a "
            "non-nil configSource");
  const std::string refused =
      "nodes \"mynode\" is forbidden: node \"mynode\" is not allowed to "
      "update configSource to a new non-nil configSource";
  EXPECT_EQ(change(source("a"), node_json("")), refused);
  EXPECT_EQ(change(source("b"), source("a")), refused);
  EXPECT_EQ(change(source("a"), source("a")), "");
  EXPECT_EQ(change(node_json(""), source("a")), "");
}

}  // namespace
}  // namespace proa::apiserver
