#include "apiserver/representation/table/custom_columns.h"

#include <algorithm>

#include "api/object/view.h"
#include "json/parse.h"
#include "json/print.h"
#include "kinds/printing/cells.h"

namespace proa::apiserver {
namespace custom_columns {

constexpr std::string_view kAge =
    R"([{"name":"Age","type":"date","description":"When the object was made.","jsonPath":".metadata.creationTimestamp"}])";
constexpr std::string_view kName =
    R"({"name":"Name","type":"string","format":"name","description":"The name of the object.","priority":0})";

void write_definition(std::string& out, api::View column) {
  const std::string_view path = column["jsonPath"].text();
  const std::string_view stated = column["description"].text();
  const std::string description =
      stated.empty()
          ? "Custom resource definition column (in JSONPath format): " + std::string(path)
          : std::string(stated);
  out += "{\"name\":";
  json::print_string_to(out, column["name"].text());
  out += ",\"type\":";
  json::print_string_to(out, column["type"].text());
  out += ",\"format\":";
  json::print_string_to(out, column["format"].text());
  out += ",\"description\":";
  json::print_string_to(out, description);
  out.append(",\"priority\":").append(std::to_string(column["priority"].integer())).append("}");
}

json::Document read(Result<json::Document> document) {
  return document ? std::move(*document) : json::Document({}, json::Value::object());
}

}  // namespace custom_columns

CustomColumns::CustomColumns(const custom::CustomResource& resource)
    : definition_(custom_columns::read(resource.definition().object()->document())),
      age_(custom_columns::read(json::parse(custom_columns::kAge))),
      stated_(find(resource)),
      columns_(stated_) {}

const json::Value* CustomColumns::find(const custom::CustomResource& resource) {
  const api::View stated = resource.stated(definition_.root())["additionalPrinterColumns"];
  return stated.empty() ? &age_.root() : stated.value();
}

void CustomColumns::write_definitions(std::string& out) const {
  out += '[';
  out += custom_columns::kName;
  const api::View stated(*stated_);
  // Those behind a path that cannot be parsed have no cells.
  for (size_t i = 0; i < columns_.size(); ++i) {
    out += ',';
    custom_columns::write_definition(out, stated.item(i));
  }
  out += ']';
}

void CustomColumns::write_cells(std::string& out, const json::Value& object, Time now,
                                custom::PathSteps& steps) const {
  // Ordinary rows cost less than this, so that a table can have any number of them.
  constexpr size_t kOfEachRow = 10'000;
  steps.left += kOfEachRow;
  custom::PathSteps row{.left = std::min(steps.left, custom::PathSteps::kUsual)};
  const size_t granted = row.left;
  const auto age = [now](Time then) { return kinds::human_duration(now - then); };
  json::print_string_to(out, api::View(object)["metadata"]["name"].text());
  json::Arena arena;
  for (const json::Value& cell : columns_.cells(arena, object, age, row)) {
    out += ',';
    json::print_to(out, cell);
  }
  steps.take(granted - row.left);
}

}  // namespace proa::apiserver
