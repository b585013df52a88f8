#include "apiserver/representation/table/table.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

constexpr kinds::Column kColumns[] = {
    {.name = "Name", .format = "name", .description = "d\"1"},
    {.name = "Size", .type = "integer"},
    {.name = "Ready", .type = "boolean", .priority = 1},
    {.name = "Age"},
};

void row(api::View object, kinds::Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.number(object["spec"]["size"].integer());
  cells.flag(object["spec"]["ready"].flag());
  cells.text(object["metadata"]["managedFields"].exists() ? "seen" : "a\tb");
}

constexpr kinds::KindRules kRules{.kind = "v1/Box", .columns = kColumns, .row = row};
constexpr kinds::KindRules kPlain{.kind = "v1/Plain"};

constexpr std::string_view kBox =
    R"({"kind":"Box","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"7",)"
    R"("managedFields":[{"manager":"m","fieldsV1":{"f:x":{}}}]},"spec":{"size":-3,"ready":true}})";

TEST(Table, HasARowForEachObject) {
  Table table(kRules, {}, {.resource_version = "9", .continue_token = "c", .remaining = 4});
  ASSERT_TRUE(table.add(kBox).ok());
  ASSERT_TRUE(table.add(R"({"kind":"Box","apiVersion":"v1","metadata":{"name":"b"}})").ok());
  EXPECT_EQ(table.take(),
            R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9",)"
            R"("continue":"c","remainingItemCount":4},"columnDefinitions":[)"
            R"({"name":"Name","type":"string","format":"name","description":"d\"1","priority":0},)"
            R"({"name":"Size","type":"integer","format":"","description":"","priority":0},)"
            R"({"name":"Ready","type":"boolean","format":"","description":"","priority":1},)"
            R"({"name":"Age","type":"string","format":"","description":"","priority":0}],"rows":[)"
            R"({"cells":["a",-3,true,"a\tb"],"object":{"kind":"PartialObjectMetadata",)"
            R"("apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","resourceVersion":"7",)"
            R"("managedFields":[{"manager":"m","fieldsV1":{"f:x":{}}}]}}},)"
            R"({"cells":["b",0,false,"a\tb"],"object":{"kind":"PartialObjectMetadata",)"
            R"("apiVersion":"meta.k8s.io/v1","metadata":{"name":"b"}}}]})");
}

TEST(Table, CanBeEmpty) {
  Table table(kRules, {.column_definitions = false}, {.resource_version = "9"});
  EXPECT_EQ(table.take(),
            R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9"},)"
            R"("columnDefinitions":null,"rows":[]})");
}

TEST(Table, IncludesWhatIsAskedFor) {
  struct Case {
    IncludeObject include;
    std::string_view object;
  };
  constexpr std::string_view kSmall =
      R"({"kind":"Box","apiVersion":"v1","metadata":{},"spec":{"size":1}})";
  constexpr Case kCases[] = {
      {IncludeObject::kMetadata,
       R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1","metadata":{}})"},
      {IncludeObject::kNone, "null"},
      {IncludeObject::kObject, kSmall},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.object);
    const auto text = table_of_one(
        kRules, kSmall, {.version = "v1beta1", .include = c.include, .column_definitions = false});
    ASSERT_TRUE(text.ok());
    EXPECT_EQ(*text, R"({"kind":"Table","apiVersion":"meta.k8s.io/v1beta1","metadata":{},)"
                     R"("columnDefinitions":null,"rows":[{"cells":["",1,false,"a\tb"],"object":)" +
                         std::string(c.object) + "}]}");
  }
}

TEST(Table, OfOneObjectHasItsResourceVersion) {
  const auto text = table_of_one(kRules, kBox, {.include = IncludeObject::kNone});
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find(R"("metadata":{"resourceVersion":"7"},)"), std::string::npos);
}

TEST(Table, ShowsNameAndBirthOfOtherKinds) {
  Table table(kPlain, {.include = IncludeObject::kNone}, {.resource_version = "1"});
  ASSERT_TRUE(
      table.add(R"({"metadata":{"name":"a","creationTimestamp":"2026-01-02T03:04:05Z"}})").ok());
  ASSERT_TRUE(table.add(R"({"metadata":{"name":"b"}})").ok());
  const std::string text = table.take();
  EXPECT_NE(text.find(R"("name":"Created At","type":"date","format":"")"), std::string::npos);
  EXPECT_NE(text.find(R"("rows":[{"cells":["a","2026-01-02T03:04:05Z"],"object":null},)"
                      R"({"cells":["b","0001-01-01T00:00:00Z"],"object":null}]})"),
            std::string::npos);
}

// The rest is a valid object, wherever they are.
TEST(Table, LeavesOutManagedFieldsBeforeItParses) {
  constexpr std::string_view kObjects[] = {
      R"({"metadata":{"managedFields":[{}],"name":"a"},"spec":{"size":1}})",
      R"({"metadata":{"name":"a","managedFields":[{}],"uid":"u"},"spec":{"size":1}})",
      R"({"metadata":{"name":"a","managedFields":[{}]},"spec":{"size":1}})",
      R"({"metadata":{"managedFields":[{}]},"spec":{"size":1}})",
      R"({"spec":{"size":1}})",
  };
  for (const std::string_view object : kObjects) {
    SCOPED_TRACE(object);
    const auto text = table_of_one(kRules, object, {.include = IncludeObject::kNone});
    ASSERT_TRUE(text.ok());
    EXPECT_NE(text->find(R"(,1,false,"a\tb"])"), std::string::npos) << *text;
  }
}

TEST(Table, TellsWhenAnObjectIsBroken) {
  Table table(kRules, {}, {.resource_version = "1"});
  EXPECT_FALSE(table.add("{").ok());
}

TEST(IncludeObject, IsOneOfThree) {
  EXPECT_EQ(*parse_include_object(""), IncludeObject::kMetadata);
  EXPECT_EQ(*parse_include_object("Metadata"), IncludeObject::kMetadata);
  EXPECT_EQ(*parse_include_object("None"), IncludeObject::kNone);
  EXPECT_EQ(*parse_include_object("Object"), IncludeObject::kObject);
  const auto other = parse_include_object("object");
  ASSERT_TRUE(other.is(Reason::kBadRequest));
  EXPECT_EQ(other.status().message(),
            "Unable to convert to Table as requested: includeObject: Invalid value: \"object\": "
            "must be 'Metadata', 'Object', 'None', or empty");
}

}  // namespace
}  // namespace proa::apiserver
