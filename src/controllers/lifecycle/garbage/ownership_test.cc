#include "controllers/lifecycle/garbage/ownership.h"

#include <gtest/gtest.h>

namespace proa::controllers {
namespace {

api::ObjectPtr with_metadata(const std::string& fields) {
  return api::Object::make(R"({"metadata":{"name":"a","uid":"u","resourceVersion":"7",)" + fields +
                           "}}");
}

TEST(OwnerReferences, AreReadWithWhetherTheyBlock) {
  const api::ObjectPtr object = with_metadata(
      R"("ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"1",)"
      R"("controller":true,"blockOwnerDeletion":true},{"apiVersion":"v1","kind":"Node",)"
      R"("name":"n","uid":"2"}])");
  const std::vector<OwnerReference> references = owner_references(*object);
  ASSERT_EQ(references.size(), 2u);
  EXPECT_EQ(references[0].api_version, "apps/v1");
  EXPECT_EQ(references[0].kind, "ReplicaSet");
  EXPECT_EQ(references[0].name, "web");
  EXPECT_EQ(references[0].uid, "1");
  EXPECT_TRUE(references[0].blocks);
  EXPECT_EQ(references[1].uid, "2");
  EXPECT_FALSE(references[1].blocks);
  EXPECT_TRUE(owner_references(*with_metadata(R"("generation":1)")).empty());
}

TEST(DeletionOf, IsWhatFinalizersSay) {
  const std::string deleted = R"("deletionTimestamp":"2026-01-01T00:00:00Z")";
  struct Case {
    const char* name;
    std::string fields;
    Deletion deletion;
  };
  const Case cases[] = {
      {"not deleted", R"("finalizers":["foregroundDeletion"])", Deletion::kNone},
      {"plainly", deleted, Deletion::kBackground},
      {"others' finalizers", deleted + R"(,"finalizers":["orphans.example.com/a"])",
       Deletion::kBackground},
      {"foreground", deleted + R"(,"finalizers":["example.com/a","foregroundDeletion"])",
       Deletion::kForeground},
      {"orphan", deleted + R"(,"finalizers":["orphan"])", Deletion::kOrphan},
      {"both", deleted + R"(,"finalizers":["foregroundDeletion","orphan"])", Deletion::kOrphan},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(deletion_of(*with_metadata(c.fields)), c.deletion);
  }
}

TEST(Patches, LeaveTheRest) {
  const std::string one = R"({"apiVersion":"v1","kind":"ConfigMap","name":"x","uid":"1"})";
  const std::string two = R"({"apiVersion":"v1","kind":"ConfigMap","name":"y","uid":"2"})";
  const api::ObjectPtr object = with_metadata(R"("ownerReferences":[)" + one + "," + two +
                                              R"(],"finalizers":["orphan","example.com/a"])");
  const auto without = [&](const std::string& uids) {
    return patch_without_owners(*object, [&](const OwnerReference& owner) {
      return uids.find(owner.uid) != std::string::npos;
    });
  };
  const std::string front = R"({"metadata":{"resourceVersion":"7","uid":"u",)";
  EXPECT_EQ(without("1"), front + R"("ownerReferences":[)" + two + "]}}");
  EXPECT_EQ(without("12"), front + R"("ownerReferences":null}})");
  EXPECT_EQ(without("3"), "");
  EXPECT_EQ(patch_without_finalizer(*object, "orphan"),
            front + R"("finalizers":["example.com/a"]}})");
  EXPECT_EQ(patch_without_finalizer(*object, "foregroundDeletion"), "");
}

}  // namespace
}  // namespace proa::controllers
