#include "testkit/apiserver/restriction_case.h"

namespace proa::apiserver {
namespace {

const std::string kOwner =
    R"({"apiVersion":"v1","kind":"Node","name":"mynode","uid":"mynode-uid","controller":true})";

std::string pod_json(const std::string& name, const std::string& node, const std::string& metadata,
                     const std::string& spec = "", const std::string& status = "") {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"ns","uid":"pod-uid")" + metadata +
         R"(},"spec":{"nodeName":")" + node + "\"" + spec + R"(},"status":{)" + status + "}}";
}

std::string mirror_json(const std::string& node, const std::string& spec = "",
                        const std::string& owners = kOwner) {
  return pod_json(
      "m", node,
      R"(,"annotations":{"kubernetes.io/config.mirror":"x"},"ownerReferences":[)" + owners + "]",
      spec);
}

class RestrictPodsTest : public RestrictionTest {
 protected:
  RestrictPodsTest() {
    put("minions/mynode", R"({"metadata":{"name":"mynode","uid":"mynode-uid"}})");
    put_pod("mine", "mynode");
    put_pod("other", "othernode");
    put_pod("unbound", "");
  }
};

TEST_F(RestrictPodsTest, NodesCreateMirrorPodsOnThemselves) {
  EXPECT_EQ(create("pods", "ns/", mirror_json("mynode")), "");
  EXPECT_EQ(create("pods", "ns/", mirror_json("othernode")),
            "pods \"m\" is forbidden: node \"mynode\" can only create pods with spec.nodeName set "
            "to itself");
  EXPECT_EQ(last_->reason(), Reason::kForbidden);
  EXPECT_EQ(create("pods", "ns/", mirror_json("")),
            "pods \"m\" is forbidden: node \"mynode\" can only create pods with spec.nodeName set "
            "to itself");
  for (const std::string node : {"mynode", "othernode", ""}) {
    SCOPED_TRACE(node);
    EXPECT_EQ(create("pods", "ns/", pod_json("p", node, "")),
              "pods \"p\" is forbidden: pod does not have \"kubernetes.io/config.mirror\" "
              "annotation, node \"mynode\" can only create mirror pods");
  }
}

TEST_F(RestrictPodsTest, NodesDeletePodsOnThemselves) {
  EXPECT_EQ(remove("pods", "ns/m", mirror_json("mynode")), "");
  EXPECT_EQ(remove("pods", "ns/mine", pod_json("mine", "mynode", "")), "");
  for (const std::string node : {"othernode", ""}) {
    SCOPED_TRACE(node);
    EXPECT_EQ(remove("pods", "ns/p", pod_json("p", node, "")),
              "pods \"p\" is forbidden: node \"mynode\" can only delete pods with spec.nodeName "
              "set to itself");
  }
}

TEST_F(RestrictPodsTest, NodesNeverChangePods) {
  for (const std::string node : {"mynode", "othernode", ""}) {
    SCOPED_TRACE(node);
    const std::string pod = mirror_json(node);
    EXPECT_EQ(update("pods", "ns/m", pod, pod),
              "pods \"m\" is forbidden: unexpected operation \"UPDATE\", node \"mynode\" can only "
              "create and delete mirror pods");
  }
  const std::string pod = pod_json("mine", "mynode", "");
  for (const std::string part : {"binding", "ephemeralcontainers", "resize"}) {
    SCOPED_TRACE(part);
    EXPECT_EQ(update("pods/" + part, "ns/mine", pod, pod),
              "pods \"mine\" is forbidden: unexpected pod subresource \"" + part +
                  "\", only 'status' and 'eviction' are allowed");
  }
}

TEST_F(RestrictPodsTest, MirrorPodsBelongToTheirNodeOnly) {
  const std::string itself = "can only create pods with an owner reference set to itself";
  const std::string controller =
      "can only create pods with a controller owner reference set to itself";
  const auto owner = [](const std::string& api_version, const std::string& kind,
                        const std::string& name, const std::string& more) {
    return R"({"apiVersion":")" + api_version + R"(","kind":")" + kind + R"(","name":")" + name +
           R"(","uid":"mynode-uid")" + more + "}";
  };
  const std::string yes = R"(,"controller":true)";
  const struct {
    std::string name;
    std::string owners;
    std::string why;
  } cases[] = {
      {"none", "", itself},
      {"twice", kOwner + "," + kOwner,
       "can only create pods with a single owner reference set to itself"},
      {"another name", owner("v1", "Node", "other", yes), itself},
      {"another kind", owner("v1", "Pod", "mynode", yes), itself},
      {"another version", owner("v2", "Node", "mynode", yes), itself},
      {"no controller", owner("v1", "Node", "mynode", ""), controller},
      {"not the controller", owner("v1", "Node", "mynode", R"(,"controller":false)"), controller},
      {"blocks", owner("v1", "Node", "mynode", yes + R"(,"blockOwnerDeletion":true)"),
       "must not set blockOwnerDeletion on an owner reference"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(create("pods", "ns/", mirror_json("mynode", "", c.owners)),
              "pods \"m\" is forbidden: node \"mynode\" " + c.why);
  }
  put("minions/mynode", R"({"metadata":{"name":"mynode","uid":"new"}})");
  EXPECT_EQ(create("pods", "ns/", mirror_json("mynode")),
            "pods \"m\" is forbidden: node mynode UID mismatch: expected mynode-uid got new");
}

TEST_F(RestrictPodsTest, ANodeThatIsNotThereOwnsNothing) {
  user_ = node_user("gone");
  EXPECT_EQ(create("pods", "ns/",
                   mirror_json("gone", "",
                               R"({"apiVersion":"v1","kind":"Node","name":"gone","uid":"u",)"
                               R"("controller":true})")),
            "node \"gone\" not found");
  EXPECT_EQ(last_->reason(), Reason::kNotFound);
  EXPECT_EQ(last_->details().kind, "node");
}

// An attacker with a node that tries to read other objects.
TEST_F(RestrictPodsTest, MirrorPodsReferToNothing) {
  const std::string cannot = "node \"mynode\" can not create pods that reference ";
  const auto volume = [](const std::string& source) {
    return R"(,"volumes":[{"name":"v",)" + source + "}]";
  };
  const auto projected = [&](const std::string& source) {
    return volume(R"("projected":{"sources":[{"downwardAPI":{}},{)" + source + "}]}");
  };
  const struct {
    std::string spec;
    std::string what;
  } cases[] = {
      {R"(,"serviceAccountName":"admin")", "serviceaccounts"},
      {R"(,"serviceAccount":"admin")", "serviceaccounts"},
      {R"(,"imagePullSecrets":[{"name":"s"}])", "secrets"},
      {R"(,"containers":[{"envFrom":[{"secretRef":{"name":"s"}}]}])", "secrets"},
      {R"(,"initContainers":[{"env":[{"valueFrom":{"secretKeyRef":{"name":"s"}}}]}])", "secrets"},
      {R"(,"ephemeralContainers":[{"envFrom":[{"secretRef":{"name":"s"}}]}])", "secrets"},
      {R"(,"initContainers":[{"envFrom":[{"configMapRef":{"name":"c"}}]}])", "configmaps"},
      {R"(,"ephemeralContainers":[{"env":[{"valueFrom":{"configMapKeyRef":{"name":"c"}}}]}])",
       "configmaps"},
      {volume(R"("secret":{"secretName":"s"})"), "secrets"},
      {volume(R"("secret":{})"), "secrets (via secret volumes)"},
      {volume(R"("configMap":{"name":"c"})"), "configmaps"},
      {volume(R"("configMap":{})"), "configmaps (via configmap volumes)"},
      {volume(R"("rbd":{"secretRef":{"name":"s"}})"), "secrets"},
      {volume(R"("azureFile":{"shareName":"x"})"), "secrets (via azureFile volumes)"},
      {volume(R"("csi":{"driver":"d"})"), "csidrivers (via CSI volumes)"},
      {volume(R"("csi":{"driver":"d","nodePublishSecretRef":{"name":"s"}})"), "secrets"},
      {volume(R"("glusterfs":{"endpoints":"e"})"), "endpoints (via glusterFS volumes)"},
      {volume(R"("persistentVolumeClaim":{"claimName":"c"})"), "persistentvolumeclaims"},
      {volume(R"("ephemeral":{})"), "persistentvolumeclaims (via ephemeral volumes)"},
      {volume(R"("emptyDir":{},"persistentVolumeClaim":{"claimName":"c"})"),
       "persistentvolumeclaims"},
      {projected(R"("secret":{"name":"s"})"), "secrets"},
      {projected(R"("secret":{})"), "secrets (via projected volumes)"},
      {projected(R"("configMap":{})"), "configmaps (via projected volumes)"},
      {projected(R"("serviceAccountToken":{"path":"t"})"),
       "serviceaccounts (via projected volumes)"},
      {projected(R"("clusterTrustBundle":{"name":"x"})"), "clustertrustbundles"},
      {projected(R"("podCertificate":{})"), "podcertificates"},
      {R"(,"resourceClaims":[{"name":"x","resourceClaimName":"y"}])", "resourceclaims"},
      {R"(,"resourceClaims":[{"name":"x","resourceClaimTemplateName":"y"}])", "resourceclaims"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.spec);
    EXPECT_EQ(create("pods", "ns/", mirror_json("mynode", c.spec)),
              "pods \"m\" is forbidden: " + cannot + c.what);
  }
  const std::string unknown =
      "pods \"m\" is forbidden: error checking mirror pod for API "
      "references: unknown ";
  EXPECT_EQ(create("pods", "ns/", mirror_json("mynode", volume(R"("future":{})"))),
            unknown + "volume type for volume  \"v\"");
  EXPECT_EQ(create("pods", "ns/", mirror_json("mynode", projected(R"("future":{})"))),
            unknown + "source for projected volume \"v\"");
  for (const std::string source :
       {R"("emptyDir":{})", R"("hostPath":{"path":"/"})", R"("image":{"reference":"r"})",
        R"("downwardAPI":{})", R"("projected":{"sources":[{"downwardAPI":{}}]})",
        R"("nfs":{"server":"s"})"}) {
    SCOPED_TRACE(source);
    EXPECT_EQ(create("pods", "ns/", mirror_json("mynode", volume(source))), "");
  }
}

TEST_F(RestrictPodsTest, NodesReportTheStatusOfTheirPods) {
  const std::string running = R"("phase":"Running")";
  EXPECT_EQ(update("pods/status", "ns/p", pod_json("p", "mynode", "", "", running),
                   pod_json("p", "mynode", "")),
            "");
  for (const std::string node : {"othernode", ""}) {
    SCOPED_TRACE(node);
    // The object sent by the client is irrelevant.
    EXPECT_EQ(update("pods/status", "ns/p", pod_json("p", "mynode", ""), pod_json("p", node, "")),
              "pods \"p\" is forbidden: node \"mynode\" can only update pod status for pods with "
              "spec.nodeName set to itself");
  }
  EXPECT_EQ(create("pods/status", "ns/p", pod_json("p", "mynode", "")),
            "pods \"p\" is forbidden: unexpected operation \"CREATE\"");
  EXPECT_EQ(remove("pods/status", "ns/p", pod_json("p", "mynode", "")),
            "pods \"p\" is forbidden: unexpected operation \"DELETE\"");
}

TEST_F(RestrictPodsTest, AStatusChangesNoLabels) {
  const std::string none = pod_json("p", "mynode", "");
  const std::string a = pod_json("p", "mynode", R"(,"labels":{"a":"1"})");
  const std::string ab = pod_json("p", "mynode", R"(,"labels":{"a":"1","b":""})");
  const std::string refused =
      "pods \"p\" is forbidden: node \"mynode\" cannot update labels through pod status";
  EXPECT_EQ(update("pods/status", "ns/p", ab, a), refused);
  EXPECT_EQ(update("pods/status", "ns/p", a, ab), refused);
  EXPECT_EQ(update("pods/status", "ns/p", a, none), refused);
  EXPECT_EQ(update("pods/status", "ns/p", none, a), refused);
  EXPECT_EQ(update("pods/status", "ns/p", a, a), "");
  EXPECT_EQ(update("pods/status", "ns/p", none, pod_json("p", "mynode", R"(,"labels":{})")), "");
}

// A claim in a pod's status would give its node access to the claim.
TEST_F(RestrictPodsTest, AStatusChangesNoClaims) {
  const auto pod = [](const std::string& status) {
    return pod_json("p", "mynode", "", "", status);
  };
  const std::string one = R"("resourceClaimStatuses":[{"name":"x","resourceClaimName":"a"}])";
  const std::string other = R"("resourceClaimStatuses":[{"name":"x","resourceClaimName":"b"}])";
  const std::string claims =
      "pods \"p\" is forbidden: node \"mynode\" cannot update resource claim statues";
  EXPECT_EQ(update("pods/status", "ns/p", pod(one), pod(one)), "");
  EXPECT_EQ(update("pods/status", "ns/p", pod(one), pod("")), claims);
  EXPECT_EQ(update("pods/status", "ns/p", pod(""), pod(one)), claims);
  EXPECT_EQ(update("pods/status", "ns/p", pod(one), pod(other)), claims);
  const std::string extended = R"("extendedResourceClaimStatus":{"resourceClaimName":"a",)"
                               R"("requestMappings":[{"containerName":"c"}]})";
  const std::string mapped = R"("extendedResourceClaimStatus":{"resourceClaimName":"a"})";
  const std::string refused =
      "pods \"p\" is forbidden: node \"mynode\" cannot update extended resource claim status";
  EXPECT_EQ(update("pods/status", "ns/p", pod(extended), pod(extended)), "");
  EXPECT_EQ(update("pods/status", "ns/p", pod(extended), pod("")), refused);
  EXPECT_EQ(update("pods/status", "ns/p", pod(""), pod(extended)), refused);
  EXPECT_EQ(update("pods/status", "ns/p", pod(extended), pod(mapped)), refused);
}

TEST_F(RestrictPodsTest, NodesEvictPodsOnThemselves) {
  const std::string unnamed = "{}";
  EXPECT_EQ(create("pods/eviction", "ns/mine", R"({"metadata":{"name":"mine"}})"), "");
  EXPECT_EQ(create("pods/eviction", "ns/mine", unnamed), "");
  EXPECT_EQ(create("pods/eviction", "ns/", R"({"metadata":{"name":"mine"}})"), "");
  for (const std::string name : {"other", "unbound"}) {
    SCOPED_TRACE(name);
    const std::string refused = "pods \"" + name +
                                "\" is forbidden: node mynode can only evict "
                                "pods with spec.nodeName set to itself";
    // The path decides, not the body.
    EXPECT_EQ(create("pods/eviction", "ns/" + name, R"({"metadata":{"name":"mine"}})"), refused);
    EXPECT_EQ(create("pods/eviction", "ns/" + name, unnamed), refused);
  }
  EXPECT_EQ(create("pods/eviction", "ns/nobody", unnamed), "pod \"nobody\" not found");
  EXPECT_EQ(create("pods/eviction", "elsewhere/mine", unnamed), "pod \"mine\" not found");
  EXPECT_TRUE(create("pods/eviction", "ns/", unnamed)
                  .ends_with("is forbidden: could not determine pod from request data"));
  EXPECT_EQ(update("pods/eviction", "ns/mine", unnamed, "null"),
            "pods \"mine\" is forbidden: unexpected operation UPDATE");
  EXPECT_EQ(remove("pods/eviction", "ns/mine", "null"),
            "pods \"mine\" is forbidden: unexpected operation DELETE");
}

}  // namespace
}  // namespace proa::apiserver
