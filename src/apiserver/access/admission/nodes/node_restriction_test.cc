#include "apiserver/access/admission/nodes/node_restriction.h"

#include "base/encoding.h"
#include "crypto/certificate_request.h"
#include "testkit/apiserver/restriction_case.h"

namespace proa::apiserver {
namespace {

using NodeRestrictionTest = RestrictionTest;

TEST_F(NodeRestrictionTest, OthersAreNotRestricted) {
  user_ = {.name = "bob", .uid = {}, .groups = {"system:authenticated"}, .extra = {}};
  EXPECT_EQ(create("pods", "ns/", R"({"metadata":{"name":"p"},"spec":{"serviceAccountName":"x"}})"),
            "");
  EXPECT_EQ(update("pods/status", "ns/p", "{}", "{}"), "");
  EXPECT_EQ(remove("nodes", "n", "{}"), "");
  user_ = node_user("mynode");
  user_.groups = {"system:authenticated"};
  EXPECT_EQ(update("nodes", "othernode", "{}", "{}"), "");
}

TEST_F(NodeRestrictionTest, ANodeMustSayWhichOneItIs) {
  user_ = node_user("");
  EXPECT_EQ(create("configmaps", "ns/c", "{}"),
            "configmaps \"c\" is forbidden: could not determine node from user \"system:node:\"");
  EXPECT_EQ(remove("configmaps", "ns/c", "{}"),
            "configmaps \"c\" is forbidden: could not determine node from user \"system:node:\"");
  EXPECT_EQ(update("nodes", "n", R"({"metadata":{"name":""}})", "{}"),
            "nodes \"n\" is forbidden: could not determine node from user \"system:node:\"");
}

TEST_F(NodeRestrictionTest, OtherObjectsAreForAuthorizers) {
  EXPECT_EQ(create("configmaps", "ns/", "{}"), "");
  EXPECT_EQ(update("configmaps", "ns/c", "{}", "{}"), "");
  EXPECT_EQ(remove("configmaps", "ns/c", "{}"), "");
  EXPECT_EQ(ask(Operation::kConnect, "pods/exec", "ns/p"), "");
}

TEST_F(NodeRestrictionTest, ANodeHasOneLease) {
  const std::string mine = R"({"metadata":{"name":"mynode"}})";
  const std::string other = R"({"metadata":{"name":"foo"}})";
  const std::string leases = "leases.coordination.k8s.io";
  EXPECT_EQ(create(leases, "kube-node-lease/", mine), "");
  EXPECT_EQ(update(leases, "kube-node-lease/mynode", mine, mine), "");
  EXPECT_EQ(remove(leases, "kube-node-lease/mynode", mine), "");
  const std::string wrong_name =
      "leases.coordination.k8s.io \"foo\" is forbidden: can only access "
      "node lease with the same name as the requesting node";
  EXPECT_EQ(create(leases, "kube-node-lease/", other), wrong_name);
  EXPECT_EQ(update(leases, "kube-node-lease/foo", mine, other), wrong_name);
  EXPECT_EQ(remove(leases, "kube-node-lease/foo", other), wrong_name);
  const std::string wrong_place =
      "leases.coordination.k8s.io \"mynode\" is forbidden: can only access leases in the "
      "\"kube-node-lease\" system namespace";
  EXPECT_EQ(create(leases, "kube-system/", mine), wrong_place);
  EXPECT_EQ(update(leases, "kube-system/mynode", mine, mine), wrong_place);
  EXPECT_EQ(remove(leases, "kube-system/mynode", mine), wrong_place);
  // By which announcers of addresses see each other.
  const std::string announcer = R"({"metadata":{"name":"proa-announcer-mynode"}})";
  EXPECT_EQ(create(leases, "kube-system/", announcer), "");
  EXPECT_EQ(update(leases, "kube-system/proa-announcer-mynode", announcer, announcer), "");
  EXPECT_EQ(remove(leases, "kube-system/proa-announcer-mynode", announcer), "");
  EXPECT_NE(create(leases, "kube-system/", R"({"metadata":{"name":"proa-announcer-foo"}})"), "");
}

TEST_F(NodeRestrictionTest, ANodeHasOneCsiNode) {
  const std::string mine = R"({"metadata":{"name":"mynode"}})";
  const std::string other = R"({"metadata":{"name":"foo"}})";
  const std::string nodes = "csinodes.storage.k8s.io";
  EXPECT_EQ(create(nodes, "", mine), "");
  EXPECT_EQ(update(nodes, "mynode", mine, mine), "");
  EXPECT_EQ(remove(nodes, "mynode", mine), "");
  const std::string refused =
      "csinodes.storage.k8s.io \"foo\" is forbidden: can only access "
      "CSINode with the same name as the requesting node";
  EXPECT_EQ(create(nodes, "", other), refused);
  EXPECT_EQ(update(nodes, "foo", mine, other), refused);
  EXPECT_EQ(remove(nodes, "foo", other), refused);
}

TEST_F(NodeRestrictionTest, SlicesAreOfTheNodeThatTheyName) {
  const std::string mine = R"({"metadata":{"name":"s"},"spec":{"nodeName":"mynode"}})";
  const std::string slices = "resourceslices.resource.k8s.io";
  EXPECT_EQ(create(slices, "", mine), "");
  EXPECT_EQ(remove(slices, "s", mine), "");
  for (const std::string spec : {R"({"nodeName":"mynode-other"})", R"({"nodeName":""})", "{}",
                                 R"({"allNodes":true})", R"({"nodeName":null})"}) {
    SCOPED_TRACE(spec);
    const std::string slice = R"({"metadata":{"name":"s"},"spec":)" + std::string(spec) + "}";
    EXPECT_EQ(create(slices, "", slice),
              "resourceslices.resource.k8s.io \"s\" is forbidden: can only create ResourceSlice "
              "with the same NodeName as the requesting node");
    EXPECT_EQ(remove(slices, "s", slice),
              "resourceslices.resource.k8s.io \"s\" is forbidden: can only delete ResourceSlice "
              "with the same NodeName as the requesting node");
    EXPECT_EQ(update(slices, "s", slice, slice), "");
  }
}

std::string volume_json(const std::string& finalizers, const std::string& policy = "Delete",
                        const std::string& node = "mynode") {
  return R"({"metadata":{"name":"v","labels":{"proa.dev/local-path-node":")" + node +
         R"("},"finalizers":[)" + finalizers + R"(]},"spec":{"persistentVolumeReclaimPolicy":")" +
         policy + R"("}})";
}

TEST_F(NodeRestrictionTest, NodesReleaseTheirLocalVolumes) {
  const std::string both = R"("kubernetes.io/pv-protection","proa.dev/local-path")";
  const std::string other = R"("kubernetes.io/pv-protection")";
  const auto change = [&](const std::string& after, const std::string& before) {
    return update("persistentvolumes", "v", after, before);
  };
  EXPECT_EQ(change(volume_json(other), volume_json(both)), "");
  const std::string refused =
      "persistentvolumes \"v\" is forbidden: node \"mynode\" may only remove the finalizer "
      "proa.dev/local-path of a PersistentVolume";
  EXPECT_EQ(change(volume_json(""), volume_json(both)), refused);
  EXPECT_EQ(change(volume_json(both), volume_json(other)), refused);
  EXPECT_EQ(change(volume_json(other, "Retain"), volume_json(both)), refused);
  EXPECT_EQ(change(volume_json(other, "Delete", "n2"), volume_json(both)), refused);
}

std::string claim_json(const std::string& status, const std::string& metadata = "",
                       const std::string& spec = "") {
  return R"({"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"c","uid":"u")" +
         metadata + R"(},"spec":{"volumeName":"pv")" + spec + R"(},"status":{"phase":"Bound")" +
         status + "}}";
}

TEST_F(NodeRestrictionTest, NodesReportResizedClaims) {
  const std::string before =
      claim_json(R"(,"capacity":{"storage":"10G"},"conditions":[{"type":"Resizing"}])",
                 R"(,"resourceVersion":"7")");
  const auto report = [&](const std::string& after) {
    return update("persistentvolumeclaims/status", "ns/c", after, before);
  };
  EXPECT_EQ(report(before), "");
  EXPECT_EQ(report(claim_json(R"(,"capacity":{"storage":"15G"})")), "");
  EXPECT_EQ(report(claim_json(R"(,"conditions":[{"type":"FileSystemResizePending"}],)"
                              R"("allocatedResources":{"storage":"15G"},)"
                              R"("allocatedResourceStatuses":{"storage":"NodeResizeInfeasible"})",
                              R"(,"managedFields":[{"manager":"kubelet"}])")),
            "");
  const std::string refused =
      "persistentvolumeclaims \"c\" is forbidden: node \"mynode\" is not allowed to update fields "
      "other than status.quantity and status.conditions: ";
  EXPECT_EQ(report(claim_json(R"(,"accessModes":["ReadWriteMany"])")),
            refused + "status.accessModes");
  EXPECT_EQ(report(claim_json("", R"(,"labels":{"a":""},"finalizers":["x/y"])")),
            refused + "metadata.finalizers, metadata.labels");
  EXPECT_EQ(report(claim_json("", R"(,"ownerReferences":[{"name":"x"}],"annotations":{"b":"c"})")),
            refused + "metadata.annotations, metadata.ownerReferences");
  EXPECT_EQ(report(claim_json("", "", R"(,"storageClassName":"fast")")),
            refused + "spec.storageClassName");
  EXPECT_EQ(report(R"({"metadata":{"name":"c"}})"),
            refused + "metadata.uid, spec.volumeName, status.phase");
}

TEST_F(NodeRestrictionTest, OfClaimsOnlyTheStatusChanges) {
  const std::string claim = claim_json("");
  const std::string refused =
      "persistentvolumeclaims \"c\" is forbidden: may only update PVC status";
  EXPECT_EQ(update("persistentvolumeclaims", "ns/c", claim, claim), refused);
  EXPECT_EQ(create("persistentvolumeclaims", "ns/", claim), refused);
  EXPECT_EQ(remove("persistentvolumeclaims", "ns/c", claim), refused);
  EXPECT_EQ(create("persistentvolumeclaims/status", "ns/c", claim),
            "persistentvolumeclaims \"c\" is forbidden: unexpected operation \"CREATE\"");
}

// As kubelets send them: PEM in base64.
std::string request_for(const std::string& common_name) {
  return to_base64(crypto::make_certificate_request(
                       crypto::PrivateKey::generate(),
                       {.common_name = common_name, .organizations = {"system:nodes"}})
                       .value());
}

TEST_F(NodeRestrictionTest, CertificatesAreForTheNodeItself) {
  const auto ask_for = [this](const std::string& signer, const std::string& request) {
    return create("certificatesigningrequests.certificates.k8s.io", "",
                  R"({"metadata":{"name":"csr"},"spec":{"signerName":")" + signer +
                      R"(","request":")" + request + "\"}}");
  };
  const std::string serving = "kubernetes.io/kubelet-serving";
  const std::string client = "kubernetes.io/kube-apiserver-client-kubelet";
  const std::string forbidden =
      "certificatesigningrequests.certificates.k8s.io \"csr\" is forbidden: ";
  for (const std::string& signer : {serving, client}) {
    SCOPED_TRACE(signer);
    EXPECT_EQ(ask_for(signer, request_for("system:node:mynode")), "");
    for (const std::string name : {"system:node:othernode", "system:node:", "mynode",
                                   "system:node:mynode2", "system:admin"}) {
      SCOPED_TRACE(name);
      EXPECT_EQ(ask_for(signer, request_for(name)),
                forbidden + "can only create a node CSR with CN=system:node:mynode");
    }
    for (const std::string request : {"", "%%%", "aGVsbG8="}) {
      SCOPED_TRACE(request);
      EXPECT_TRUE(ask_for(signer, request).starts_with(forbidden + "unable to parse csr: "));
    }
    EXPECT_TRUE(ask_for(signer, to_base64("-----BEGIN CERTIFICATE REQUEST-----\n"
                                          "-----END CERTIFICATE REQUEST-----"))
                    .starts_with(forbidden + "unable to parse csr: "));
  }
  EXPECT_EQ(ask_for("kubernetes.io/kube-apiserver-client", request_for("anybody")), "");
  EXPECT_EQ(ask_for("example.com/own", "rubbish"), "");
}

}  // namespace
}  // namespace proa::apiserver
