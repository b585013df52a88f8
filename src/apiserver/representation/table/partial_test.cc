#include "apiserver/representation/table/partial.h"

#include <gtest/gtest.h>

#include "api/codec/protobuf/envelope.h"
#include "api/schema/builtin.h"
#include "json/print.h"

namespace proa::apiserver {
namespace {

constexpr std::string_view kObject =
    R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"n",)"
    R"("resourceVersion":"7","creationTimestamp":"2026-01-02T03:04:05Z","labels":{"x":"}\"{"}},)"
    R"("data":{"metadata":"no"}})";
constexpr std::string_view kMetadata =
    R"({"name":"a","namespace":"n","resourceVersion":"7",)"
    R"("creationTimestamp":"2026-01-02T03:04:05Z","labels":{"x":"}\"{"}})";

std::string partial_of(std::string_view metadata) {
  return R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":)" +
         std::string(metadata) + "}";
}

// A message as its JSON.
std::string decoded(const Result<std::string>& message) {
  if (!message) return message.status().message();
  const auto document = api::from_enveloped(*message, api::builtin_schema());
  return document ? json::print(document->root()) : document.status().message();
}

TEST(Partial, IsTheMetadataAlone) {
  EXPECT_EQ(partial_json(kObject, "v1"), partial_of(kMetadata));
  EXPECT_EQ(partial_json(R"({"kind":"X","apiVersion":"v1"})", "v1beta1"),
            R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1","metadata":{}})");
}

TEST(Partial, HasAProtobufForm) {
  EXPECT_EQ(decoded(partial_protobuf(kObject, "v1", api::builtin_schema())), partial_of(kMetadata));
}

TEST(Partial, FailsOnBrokenObjects) {
  EXPECT_FALSE(partial_protobuf(R"({"metadata":{"name":7}})", "v1", api::builtin_schema()).ok());
}

TEST(PartialList, HoldsItemsWithTheirKind) {
  PartialListJson list({.resource_version = "9", .remaining = 2}, "v1");
  list.add(kObject);
  list.add(R"({"metadata":{"name":"b"}})");
  EXPECT_EQ(list.take(),
            R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":)"
            R"({"resourceVersion":"9","remainingItemCount":2},"items":[)" +
                partial_of(kMetadata) + "," + partial_of(R"({"name":"b"})") + "]}");
}

TEST(PartialList, CanBeEmpty) {
  EXPECT_EQ(PartialListJson({.resource_version = "9"}, "v1").take(),
            R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":)"
            R"({"resourceVersion":"9"},"items":null})");
}

TEST(PartialList, HasAProtobufForm) {
  PartialListProtobuf list({.resource_version = "9", .continue_token = "c", .remaining = 2}, "v1",
                           api::builtin_schema());
  ASSERT_TRUE(list.add(kObject).ok());
  ASSERT_TRUE(list.add(R"({"metadata":{"name":"b"}})").ok());
  const std::string text = decoded(list.take());
  EXPECT_TRUE(text.starts_with(
      R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":)"
      R"({"resourceVersion":"9","continue":"c","remainingItemCount":2},"items":[)"))
      << text;
  EXPECT_NE(text.find(std::string(kMetadata)), std::string::npos) << text;
  EXPECT_NE(text.find(R"("metadata":{"name":"b"})"), std::string::npos) << text;
}

}  // namespace
}  // namespace proa::apiserver
