#include "api/schema/parse.h"

#include <gtest/gtest.h>

#include "api/schema/type_builder.h"

namespace proa::api {
namespace {

constexpr std::string_view kHead =
    "# About ships.\n\ngroup   example.com/v1\npackage com.example\nopenapi com.example.v1\n";

Result<Schema> parse_one(std::string_view body, std::string& text) {
  text = std::string(kHead) + std::string(body);
  const SchemaFile file{"ships_v1", text};
  return parse_schema({&file, 1});
}

std::string failure_of(std::string_view body) {
  std::string text;
  const auto schema = parse_one(body, text);
  return schema.ok() ? "fine" : schema.status().message();
}

TEST(ParseSchema, ReadsTypesAndFields) {
  std::string text;
  const auto schema = parse_one(
      "\nkind Ship  deprecated  \"A vessel.\"\n"
      "  1 name   string     required \"What it is\n"
      "                      called.\"\n"
      "  2 crew   []Sailor   map(name) merge(name)\n"
      "  3 hull   inline\n"
      "    1 length  *int32  = 12 gate LongShips off\n"
      "    4 cargo   map[string]Length  milli := {\"water\":\"1\"}\n"
      "    2 flags   map[string]string  granular\n"
      "  4 color  string     {red \"\"\n"
      "                      blue} omitempty\n"
      "\nlist ShipList of Ship\n"
      "type Sailor  atomic json-only unpublished\n"
      "  removed 7 rank\n"
      "  union kind cook=Cook\n"
      "  - name  string  always\n"
      "  - ship  *Ship\n"
      "codec Length  quantity\n"
      "type ListMeta\n",
      text);
  const auto message = schema.ok() ? "" : schema.status().message();
  ASSERT_TRUE(schema.ok()) << message;
  const Type* ship = schema->find_kind("example.com/v1", "Ship");
  ASSERT_NE(ship, nullptr);
  EXPECT_TRUE(ship->deprecated);
  EXPECT_EQ(ship->description, "A vessel.");
  EXPECT_EQ(ship->fields.size(), 8);
  EXPECT_EQ(ship->fields[0].name, "kind");
  EXPECT_EQ(ship->describe(*ship->find("name")), "What it is called.");
  EXPECT_EQ(ship->find("name")->rules, nullptr);
  EXPECT_NE(ship->describe(ship->fields[0]), "");
  EXPECT_EQ(ship->find("name")->omit, Omit::kNever);
  EXPECT_EQ(ship->find("crew")->rules->keys.size(), 1);
  EXPECT_EQ(ship->find("length")->rules->default_json, "12");
  EXPECT_TRUE(ship->find("length")->rules->gate_off);
  EXPECT_TRUE(ship->find("cargo")->rules->milli);
  EXPECT_EQ(ship->find("cargo")->rules->server_default_json, "{\"water\":\"1\"}");
  EXPECT_EQ(ship->find("flags")->rules->map_type, MapType::kGranular);
  EXPECT_EQ(ship->find("color")->rules->values.size(), 3);
  EXPECT_EQ(ship->find("color")->omit, Omit::kEmpty);
  ASSERT_NE(ship->wire.find(3), nullptr);
  EXPECT_EQ(ship->wire.find(3)->group->entries.size(), 3);
  EXPECT_EQ(ship->find("Name"), nullptr);

  const Type* list = schema->find_kind("example.com/v1", "ShipList");
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(list->find("items")->type, ship);
  EXPECT_EQ(list->description, "A list of Ship objects.");
  const Type* sailor = schema->find_openapi("com.example.v1.Sailor");
  ASSERT_NE(sailor, nullptr);
  EXPECT_FALSE(sailor->has_proto);
  EXPECT_EQ(sailor->unions.size(), 1);
  EXPECT_EQ(sailor->find("name")->number, 0);
}

TEST(ParseSchema, NamesFileAndLine) {
  struct Case {
    const char* body;
    const char* message;
  };
  const Case cases[] = {
      {"type A\n  1 b  C\n", "schema/ships_v1.schema:7: unknown type C"},
      {"type A\n  1 b\n", "schema/ships_v1.schema:7: a word is missing"},
      {"type A\n  1 b  string  oops\n", "schema/ships_v1.schema:7: \"oops\" is not allowed here"},
      {"type A\n  0 b  string\n", "schema/ships_v1.schema:7: invalid field number"},
      {"type A\n  1 b  string\n  1 c  string\n",
       "schema/ships_v1.schema:6: number 1 is used twice"},
      {"type A\n  1 b  string\n  2 b  string\n",
       "schema/ships_v1.schema:6: field b is defined twice"},
      {"type A\n  removed 1 b\n  1 c  string\n",
       "schema/ships_v1.schema:6: number 1 was removed and must not be used again"},
      {"type A\ntype A\n", "schema/ships_v1.schema:7: type A is defined twice"},
      {"thing A\n", "schema/ships_v1.schema:6: \"thing\" is not allowed here"},
      {"codec A  oops\n", "schema/ships_v1.schema:6: a codec needs the word of its form"},
      {"type A\n  1 b  *[]string\n", "schema/ships_v1.schema:7: a list or map is never a pointer"},
      {"type A\n  1 b  B\ntype B\n  1 a  A\n", "type com.example.v1.A contains itself"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.body);
    EXPECT_EQ(failure_of(one.body), one.message);
  }
}

TEST(TypeBuilder, BuildsTypesWithoutAFile) {
  Schema schema;
  Type& type = schema.add();
  type.name = "Ship";
  type.openapi = "com.example.v1.Ship";
  type.group_version = "example.com/v1";
  type.is_kind = true;
  type.has_proto = false;
  TypeBuilder builder(schema.arena());
  builder.add({.name = "size", .type = scalar_type("int64")});
  builder.add({.name = "name", .type = scalar_type("string")});
  ASSERT_TRUE(builder.finish(type).ok());
  ASSERT_TRUE(schema.seal().ok());
  const Type* found = schema.find_kind("example.com/v1", "Ship");
  ASSERT_EQ(found, &type);
  EXPECT_EQ(found->find("name")->type->form, Form::kString);
  EXPECT_TRUE(found->wire.entries.empty());
}

}  // namespace
}  // namespace proa::api
