#include "kubelet/pod/objects/references.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

TEST(References, AreFoundWhereverTheyStand) {
  const struct {
    const char* spec;
    const char* expected;
  } cases[] = {
      {R"("imagePullSecrets":[{"name":"a"},{"name":""},{}])", "secrets/a "},
      {R"("containers":[{"envFrom":[{"configMapRef":{"name":"a"}},{"secretRef":{"name":"b"}}]}])",
       "configmaps/a secrets/b "},
      {R"("initContainers":[{"env":[{"name":"X","valueFrom":{"configMapKeyRef":{"name":"a"}}}]}],)"
       R"("ephemeralContainers":[{"env":[{"name":"X","valueFrom":{"secretKeyRef":{"name":"b"}}}]}])",
       "configmaps/a secrets/b "},
      {R"("volumes":[{"configMap":{"name":"a"}},{"secret":{"secretName":"b"}}])",
       "configmaps/a secrets/b "},
      {R"("volumes":[{"projected":{"sources":[{"configMap":{"name":"a"}},{"secret":{"name":"b"}},)"
       R"({"serviceAccountToken":{"path":"t"}}]}}])",
       "configmaps/a secrets/b "},
      {R"("volumes":[{"azureFile":{"secretName":"a"}},{"cephfs":{"secretRef":{"name":"b"}}},)"
       R"({"cinder":{"secretRef":{"name":"c"}}},{"flexVolume":{"secretRef":{"name":"d"}}},)"
       R"({"rbd":{"secretRef":{"name":"e"}}},{"scaleIO":{"secretRef":{"name":"f"}}},)"
       R"({"iscsi":{"secretRef":{"name":"g"}}},{"storageos":{"secretRef":{"name":"h"}}},)"
       R"({"csi":{"nodePublishSecretRef":{"name":"i"}}}])",
       "secrets/a secrets/b secrets/c secrets/d secrets/e secrets/f secrets/g secrets/h "
       "secrets/i "},
      {R"("volumes":[{"emptyDir":{}},{"configMap":{"name":"a"}},{"configMap":{"name":"a"}}])",
       "configmaps/a "},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.spec);
    const PodPtr pod =
        *Pod::read(api::Object::make(R"({"metadata":{"name":"p","namespace":"n"},"spec":{)" +
                                     std::string(c.spec) + "}}"),
                   Pod::Source::kApi);
    std::string found;
    for (const Reference& reference : references_of(*pod)) {
      found += std::string(reference.resource) + "/" + reference.name + " ";
    }
    EXPECT_EQ(found, c.expected);
  }
}

}  // namespace
}  // namespace proa::kubelet
