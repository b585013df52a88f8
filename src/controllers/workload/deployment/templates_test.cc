#include "controllers/workload/deployment/templates.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"

namespace proa::controllers::deployments {
namespace {

class TemplatesTest : public testing::Test {
 protected:
  TemplateDigest digest(const std::string& json) {
    return digests_.of_owner(*api::Object::make(R"({"spec":{"template":)" + json + "}}"));
  }

  const TemplateDigests digests_{api::builtin_schema(), kHashLabel};
};

TEST_F(TemplatesTest, AreTheSameWhateverTheirHashOrderAndDefaults) {
  const TemplateDigest plain =
      digest(R"({"metadata":{"labels":{"a":"b","c":"d"}},"spec":{"containers":[{"name":"x"}]}})");
  EXPECT_EQ(digest(R"({"spec":{"containers":[{"name":"x"}]},)"
                   R"("metadata":{"labels":{"c":"d","pod-template-hash":"5d","a":"b"}}})"),
            plain);
  EXPECT_EQ(digest(R"({"metadata":{"labels":{"a":"b","c":"d"},"creationTimestamp":null},)"
                   R"("spec":{"restartPolicy":"Always","dnsPolicy":"ClusterFirst",)"
                   R"("containers":[{"terminationMessagePolicy":"File","name":"x"}]}})"),
            plain);
}

TEST_F(TemplatesTest, DifferInWhatPodsWouldDifferIn) {
  const std::string plain =
      R"({"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"x"}]}})";
  for (const char* other : {
           R"({"metadata":{"labels":{"a":"c"}},"spec":{"containers":[{"name":"x"}]}})",
           R"({"metadata":{"labels":{"a":"b"},"annotations":{"e":"f"}},)"
           R"("spec":{"containers":[{"name":"x"}]}})",
           R"({"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"y"}]}})",
           R"({"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"x"}],)"
           R"("restartPolicy":"Never"}})",
           R"({"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"x"}],)"
           R"("volumes":[{"name":"v","emptyDir":{}}]}})",
       }) {
    EXPECT_FALSE(digest(other) == digest(plain)) << other;
  }
}

TEST(TemplateHash, FitsIntoANameAndChangesWithACollision) {
  const TemplateDigest digest{.bytes = {1, 2, 3}};
  const std::string hash = template_hash(digest, std::nullopt);
  EXPECT_EQ(hash, template_hash(digest, std::nullopt));
  EXPECT_EQ(hash.find_first_not_of("bcdfghjklmnpqrstvwxz2456789"), std::string::npos);
  EXPECT_LE(hash.size(), 10u);
  EXPECT_NE(hash, template_hash(digest, 0));
  EXPECT_NE(template_hash(digest, 1), template_hash(digest, 2));
  EXPECT_NE(hash, template_hash(TemplateDigest{.bytes = {1, 2, 4}}, std::nullopt));
}

TEST(SetName, IsCutToWhatNamesMayBe) {
  EXPECT_EQ(set_name("web", "5d4f"), "web-5d4f");
  const std::string name = set_name(std::string(253, 'a'), "5d4f");
  EXPECT_EQ(name.size(), 253u);
  EXPECT_TRUE(name.ends_with("a-5d4f"));
}

}  // namespace
}  // namespace proa::controllers::deployments
