#include "api/schema/resource_reader.h"

#include <gtest/gtest.h>

#include "api/schema/parse.h"

namespace proa::api {
namespace {

constexpr std::string_view kHead =
    "group   example.com/v1  priority 900 15\npackage com.example\nopenapi com.example.v1\n"
    "kind Ship\n  1 name  string\nlist ShipList of Ship\nkind Rope\ntype ListMeta\n";
constexpr std::string_view kHarbour =
    "group   harbour.example.com/v1  priority 950 1\npackage com.harbour\nopenapi com.harbour.v1\n"
    "use ships_v1\n"
    "resource ships of Ship  hash abc=  ttl 1h\n"
    "kind Ship\n  1 metadata  ListMeta\n";

struct Parsed {
  std::string text;
  Result<Schema> schema;
};

Parsed parse_ships(std::string_view body) {
  Parsed parsed{std::string(kHead) + std::string(body), Schema()};
  const SchemaFile files[] = {{"ships_v1", parsed.text}, {"harbour_v1", kHarbour}};
  parsed.schema = parse_schema(files);
  return parsed;
}

TEST(ReadResource, AssumesWhatIsUsual) {
  const Parsed parsed = parse_ships("resource ships of Ship\n");
  ASSERT_TRUE(parsed.schema.ok()) << parsed.schema.status().message();
  const Resource* ships = parsed.schema->find_resource("example.com", "v1", "ships");
  ASSERT_NE(ships, nullptr);
  EXPECT_EQ(ships->singular, "ship");
  EXPECT_EQ(ships->type->name, "Ship");
  EXPECT_EQ(ships->list->name, "ShipList");
  EXPECT_EQ(ships->group_version(), "example.com/v1");
  EXPECT_TRUE(ships->namespaced);
  EXPECT_TRUE(ships->verbs.has(Verb::kDeleteCollection));
  EXPECT_EQ(ships->key_prefix, "/registry/ships");
  EXPECT_EQ(ships->stored, ships);
  EXPECT_TRUE(ships->selectable.empty());
  EXPECT_TRUE(ships->generation_counts.empty());
  EXPECT_FALSE(ships->has_status);
  EXPECT_FALSE(ships->put_creates);
  EXPECT_TRUE(ships->unconditional_update);
  EXPECT_EQ(ships->default_propagation, Propagation::kBackground);
  EXPECT_EQ(ships->group_priority, 900);
  EXPECT_EQ(ships->version_priority, 15);
  EXPECT_EQ(parsed.schema->find_resource_of(*ships->type), ships);
  EXPECT_EQ(parsed.schema->find_resource_of(*ships->list), nullptr);
  EXPECT_EQ(parsed.schema->find_resource("example.com", "v2", "ships"), nullptr);
}

TEST(ReadResource, ReadsEveryClause) {
  const Parsed parsed = parse_ships(
      "resource ships of Ship  cluster  short sh shp  in all  verbs get list\n"
      "  key sea/ships  hash xyz=  ttl 90s\n"
      "  put creates conditional\n"
      "  late-generation spec metadata.labels\n"
      "  propagation orphan  returns-deleted  deprecated 1.33 example.org/v2/Boat\n"
      "  unknown-field names-type\n"
      "  fields spec.port spec.flag=spec.country from=spec.from,spec.origin spec.old=-\n"
      "  /status  on-create keeps metadata.labels\n"
      "  /sail    Rope  create get\n"
      "  /moor    update keeps metadata\n");
  ASSERT_TRUE(parsed.schema.ok()) << parsed.schema.status().message();
  const Resource& ships = *parsed.schema->find_resource("example.com", "v1", "ships");
  EXPECT_FALSE(ships.namespaced);
  EXPECT_EQ(ships.short_names.size(), 2);
  EXPECT_EQ(ships.categories[0], "all");
  EXPECT_EQ(ships.verbs, Verbs({Verb::kGet, Verb::kList}));
  EXPECT_EQ(ships.key_prefix, "/registry/sea/ships");
  EXPECT_EQ(ships.storage_hash, "xyz=");
  EXPECT_EQ(ships.ttl, std::chrono::seconds(90));
  EXPECT_TRUE(ships.put_creates);
  EXPECT_FALSE(ships.unconditional_update);
  EXPECT_EQ(ships.generation_counts.size(), 2);
  EXPECT_FALSE(ships.generation_starts);
  EXPECT_EQ(ships.default_propagation, Propagation::kOrphan);
  EXPECT_TRUE(ships.returns_deleted);
  EXPECT_EQ(ships.deprecation,
            "example.com/v1 Ship is deprecated in v1.33+; use example.org/v2 Boat");
  EXPECT_EQ(ships.unknown_field, UnknownFieldText::kNamesType);
  ASSERT_EQ(ships.selectable.size(), 4);
  EXPECT_EQ(ships.selectable[0].paths[0], "spec.port");
  EXPECT_EQ(ships.selectable[1].name, "spec.flag");
  EXPECT_EQ(ships.selectable[1].paths[0], "spec.country");
  EXPECT_EQ(ships.selectable[2].paths[1], "spec.origin");
  EXPECT_TRUE(ships.selectable[3].paths.empty());
  EXPECT_TRUE(ships.has_status);
  EXPECT_TRUE(ships.status_on_create);
  EXPECT_EQ(ships.find_subresource("status")->keeps[0], "metadata.labels");
  EXPECT_FALSE(ships.find_subresource("status")->keeps_metadata);
  EXPECT_EQ(ships.find_subresource("sail")->type->name, "Rope");
  EXPECT_EQ(ships.find_subresource("sail")->verbs, Verbs({Verb::kCreate, Verb::kGet}));
  EXPECT_TRUE(ships.find_subresource("moor")->keeps_metadata);
  EXPECT_EQ(ships.find_subresource("moor")->type, ships.type);
  EXPECT_EQ(ships.find_subresource("fly"), nullptr);
}

TEST(ReadResource, IsStoredAsAnother) {
  const Parsed parsed = parse_ships("resource ships of Ship  stored harbour_v1\n");
  ASSERT_TRUE(parsed.schema.ok()) << parsed.schema.status().message();
  const Resource& ships = *parsed.schema->find_resource("example.com", "v1", "ships");
  const Resource& other = *parsed.schema->find_resource("harbour.example.com", "v1", "ships");
  EXPECT_EQ(ships.stored, &other);
  EXPECT_EQ(ships.key_prefix, "/registry/ships");
  EXPECT_EQ(ships.storage_hash, "abc=");
  EXPECT_EQ(ships.ttl, std::chrono::hours(1));
  EXPECT_EQ(parsed.schema->resources()[0], &other) << "it has the higher priority";
}

TEST(ReadResource, SaysWhatIsWrong) {
  struct Case {
    const char* body;
    const char* message;
  };
  const Case cases[] = {
      {"resource ships\n", "a resource needs \"of\" and its kind"},
      {"resource ships of Boat\n", "unknown kind Boat"},
      {"resource ships of Ship  oops\n", "\"oops\" is not allowed here"},
      {"resource ships of Ship  cluster oops\n", "\"oops\" is not allowed here"},
      {"resource ships of Ship  key\n", "a word is missing after \"key\""},
      {"resource ships of Ship  verbs sail\n", "\"sail\" is not allowed here"},
      {"resource ships of Ship  propagation x\n", "\"x\" is not allowed here"},
      {"resource ships of Ship  put never\n", "\"never\" is not allowed here"},
      {"resource ships of Ship  deprecated 1.2 Boat\n", "\"Boat\" is not allowed here"},
      {"resource ships of Ship  unknown-field x\n", "\"x\" is not allowed here"},
      {"resource ships of Ship\n  /sail  Wind\n", "unknown type Wind"},
      {"resource ships of Ship\n  1 name  string\n", "\"1\" is not allowed here"},
      {"resource ships of Ship  stored nowhere_v1\n", "nowhere_v1 has no such stored resource"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.body);
    const Parsed parsed = parse_ships(one.body);
    ASSERT_FALSE(parsed.schema.ok());
    EXPECT_EQ(parsed.schema.status().message(),
              std::string("schema/ships_v1.schema:9: ") + one.message);
  }
  const Parsed twice = parse_ships("resource ships of Ship\nresource ships of Ship\n");
  ASSERT_FALSE(twice.schema.ok());
  EXPECT_EQ(twice.schema.status().message(), "resource ships is defined twice in one version");
}

}  // namespace
}  // namespace proa::api
