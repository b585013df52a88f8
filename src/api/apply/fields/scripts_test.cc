// Scripts of typed values: VERB, then one JSON document a line.

#include <gtest/gtest.h>

#include <filesystem>

#include "api/apply/fields/check.h"
#include "api/apply/fields/compare.h"
#include "api/apply/fields/fields_v1.h"
#include "api/apply/fields/merge.h"
#include "api/apply/fields/owned.h"
#include "api/apply/fields/remove.h"
#include "api/schema/parse.h"
#include "api/schema/schema.h"
#include "api/structure/structure.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/print.h"
#include "testkit/golden.h"

namespace proa::api {
namespace fields_scripts {

constexpr std::string_view kSchema =
    "# Boxes.\n\ngroup   example.com/v1\npackage com.example\nopenapi com.example.v1\n"
    "\nkind Box\n"
    "  1 name     string\n"
    "  2 number   int64\n"
    "  3 flag     *bool\n"
    "  4 labels   map[string]string\n"
    "  5 selector map[string]string  atomic\n"
    "  6 words    []string  set\n"
    "  7 args     []string\n"
    "  8 merged   []string  merge\n"
    "  9 ports    []Port  map(port,protocol)\n"
    "  10 items   []Box  merge(name)\n"
    "  11 box     *Box\n"
    "  12 whole   *Box  atomic\n"
    "  13 boxes   map[string]Box\n"
    "  14 strict  *Strict\n"
    "  - free     any\n"
    "\ntype Port\n"
    "  1 port      int32   required\n"
    "  2 protocol  string  = \"TCP\"\n"
    "  3 host      string\n"
    "\ntype Strict  atomic\n"
    "  1 a  string\n"
    "  2 b  string\n";

const Type& box_type() {
  static const Result<Schema> schema = [] {
    const SchemaFile file{"boxes_v1", kSchema};
    return parse_schema({&file, 1});
  }();
  return *schema.value().find_kind("example.com/v1", "Box");
}

constexpr std::string_view kCustomSchema = R"({"type":"object","properties":{
    "spec":{"type":"object","properties":{
      "name":{"type":"string"},
      "since":{"type":"string","format":"date-time"},
      "port":{"x-kubernetes-int-or-string":true},
      "selector":{"type":"object","x-kubernetes-map-type":"atomic",
                  "additionalProperties":{"type":"string"}},
      "groups":{"type":"object","additionalProperties":{"type":"array",
                "items":{"type":"string"},"x-kubernetes-list-type":"set"}},
      "matrix":{"type":"array","items":{"type":"array","items":{"type":"integer"}}},
      "rules":{"type":"array","x-kubernetes-list-type":"map",
               "x-kubernetes-list-map-keys":["host","port"],
               "items":{"type":"object","properties":{"host":{"type":"string"},
                        "port":{"type":"integer","default":80},"path":{"type":"string"}}}},
      "optional":{"type":"object","nullable":true,"properties":{"a":{"type":"string"}}},
      "open":{"type":"object","x-kubernetes-preserve-unknown-fields":true,
              "properties":{"inner":{"type":"object","properties":{"a":{"type":"string"}}}}},
      "any":{"x-kubernetes-preserve-unknown-fields":true},
      "template":{"type":"object","x-kubernetes-embedded-resource":true,
                  "properties":{"spec":{"type":"object","properties":{"a":{"type":"string"}}}}}
    }}}})";

const Structure& custom_structure() {
  static const Structures structures =
      Structures::parse(json::parse_literal(kCustomSchema).root()).value();
  return structures.root();
}

std::string run_at(Place place, std::string_view command) {
  const std::vector<std::string_view> lines = split(command, '\n');
  const std::string_view verb = lines[0];
  std::vector<json::Document> documents;
  for (size_t i = 1; i < lines.size(); ++i) documents.push_back(json::parse_literal(lines[i]));
  json::Arena arena;
  const auto fields = [&](size_t index) {
    return parse_fields_v1(documents[index].root(), arena).value();
  };
  if (verb == "check") return check_typed(documents[0].root(), place, Duplicates::kRejected);
  if (verb == "owned") return print_fields_v1(owned_fields(documents[0].root(), place, arena));
  if (verb == "merge")
    return json::print(merge_fields(documents[0].root(), documents[1].root(), place, arena));
  if (verb == "remove")
    return json::print(remove_fields(documents[0].root(), fields(1), place, arena));
  if (verb == "name") return print_fields_v1(with_named_fields(fields(0), place, arena));
  if (verb == "reconcile") return print_fields_v1(reconcile_fields(fields(0), place, arena));
  const Comparison changed = compare_fields(documents[0].root(), documents[1].root(), place, arena);
  return "added    " + print_fields_v1(changed.added) + "\nmodified " +
         print_fields_v1(changed.modified) + "\nremoved  " + print_fields_v1(changed.removed);
}

void run_script(std::string_view name, Place place) {
  testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata" / name,
                      [&](std::string_view command) { return run_at(place, command); });
}

TEST(Fields, Scripts) { run_script("fields.txt", Place(box_type())); }

TEST(Fields, ScriptsOfCustomResources) {
  run_script("custom.txt", Place::custom_object(custom_structure()));
}

}  // namespace fields_scripts
}  // namespace proa::api
