#include "controllers/workload/history/template_digest.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"

namespace proa::controllers {
namespace {

api::ObjectPtr owner(std::string_view pod_spec) {
  return api::Object::make(R"({"metadata":{"name":"web"},"spec":{"template":{"spec":)" +
                           std::string(pod_spec) + "}}}");
}

api::ObjectPtr revision(std::string_view pod_template) {
  return api::Object::make(R"({"metadata":{"name":"web-1"},"data":{"spec":{"template":)" +
                           std::string(pod_template) + "}}}");
}

class TemplateDigestsTest : public testing::Test {
 protected:
  const TemplateDigests digests_{api::builtin_schema()};
};

TEST_F(TemplateDigestsTest, AreEqualForEquivalentTemplates) {
  const api::ObjectPtr set = owner(R"({"containers":[{"name":"c","image":"a"}]})");
  const TemplateDigest& wanted = digests_.of_owner(*set);
  ASSERT_TRUE(wanted.known);
  for (
      const char* same : {
          R"({"$patch":"replace","spec":{"containers":[{"name":"c","image":"a"}]}})",
          R"({"spec":{"containers":[{"image":"a","name":"c"}]}})",
          // As earlier releases wrote it: with null, or without a default.
          R"({"metadata":{"creationTimestamp":null},"spec":{"containers":[{"name":"c","image":"a"}]}})",
          R"({"spec":{"restartPolicy":"Always","containers":[{"name":"c","image":"a"}]}})",
      }) {
    EXPECT_EQ(digests_.of_revision(*revision(same)), wanted) << same;
  }
}

TEST_F(TemplateDigestsTest, DifferForOtherAndInvalidTemplates) {
  const api::ObjectPtr set = owner(R"({"containers":[{"name":"c","image":"a"}]})");
  const api::ObjectPtr other = revision(R"({"spec":{"containers":[{"name":"c","image":"b"}]}})");
  EXPECT_TRUE(digests_.of_revision(*other).known);
  EXPECT_NE(digests_.of_revision(*other), digests_.of_owner(*set));
  const api::ObjectPtr nonsense = revision(R"({"spec":{"containers":7}})");
  EXPECT_FALSE(digests_.of_revision(*nonsense).known);
  EXPECT_FALSE(digests_.template_of(*nonsense).ok());
}

}  // namespace
}  // namespace proa::controllers
