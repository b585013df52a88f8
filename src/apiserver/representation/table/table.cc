#include "apiserver/representation/table/table.h"

#include <charconv>

#include "apiserver/representation/table/custom_columns.h"
#include "apiserver/representation/table/partial.h"
#include "base/check.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::apiserver {

namespace table {

// For kinds without columns of their own.
constexpr kinds::Column kPlainColumns[] = {
    {.name = "Name", .format = "name", .description = "The name of the object."},
    {.name = "Created At", .type = "date", .description = "When the object was made."},
};

void plain_row(api::View object, kinds::Cells& cells) {
  constexpr std::string_view kZeroTime = "0001-01-01T00:00:00Z";
  const api::View metadata = object["metadata"];
  cells.text(metadata["name"].text());
  cells.text(metadata["creationTimestamp"].text(kZeroTime));
}

void write_definitions(std::string& out, std::span<const kinds::Column> columns) {
  out += '[';
  for (const kinds::Column& column : columns) {
    if (out.back() != '[') out += ',';
    out += "{\"name\":";
    json::print_string_to(out, column.name);
    out += ",\"type\":";
    json::print_string_to(out, column.type);
    out += ",\"format\":";
    json::print_string_to(out, column.format);
    out += ",\"description\":";
    json::print_string_to(out, column.description);
    out.append(",\"priority\":").append(std::to_string(column.priority)).append("}");
  }
  out += ']';
}

// Writes cells as JSON.
class JsonCells final : public kinds::Cells {
 public:
  JsonCells(std::string& out, Time now) : out_(out), now_(now) {}

  void text(std::string_view text) override {
    separate();
    json::print_string_to(out_, text);
  }
  void number(int64_t number) override {
    separate();
    char digits[24];
    const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), number);
    out_.append(digits, end);
  }
  void flag(bool flag) override {
    separate();
    out_ += flag ? "true" : "false";
  }
  Time now() const override { return now_; }

 private:
  void separate() {
    if (out_.back() != '[') out_ += ',';
  }

  std::string& out_;
  const Time now_;
};

// Half of a typical object is managedFields, which no cell shows: removing them halves the parsing.
// The result is built in `scratch` if there is something to remove.
std::string_view without(std::string_view object, std::string_view managed_fields,
                         std::string& scratch) {
  constexpr std::string_view kKey = "\"managedFields\":";
  if (managed_fields.empty()) return object;
  const auto offset = static_cast<size_t>(managed_fields.data() - object.data());
  size_t start = offset - kKey.size();
  size_t end = offset + managed_fields.size();
  if (object[start - 1] == ',') {
    --start;
  } else if (end < object.size() && object[end] == ',') {
    ++end;
  }
  scratch.assign(object, 0, start);
  scratch.append(object, end);
  return scratch;
}

}  // namespace table

Result<IncludeObject> parse_include_object(std::string_view text) {
  if (text.empty() || text == "Metadata") return IncludeObject::kMetadata;
  if (text == "None") return IncludeObject::kNone;
  if (text == "Object") return IncludeObject::kObject;
  return Status(Reason::kBadRequest,
                "Unable to convert to Table as requested: includeObject: Invalid value: \"" +
                    std::string(text) + "\": must be 'Metadata', 'Object', 'None', or empty");
}

Table::Table(const kinds::KindRules& rules, const Options& options, const ListHead& head)
    : rules_(rules), options_(options) {
  CHECK(rules.columns.empty() == (rules.row == nullptr));
  write_meta_kind(text_, "Table", options_.version);
  text_ += "\"metadata\":";
  write_list_head(text_, head);
  text_ += ",\"columnDefinitions\":";
  if (!options_.column_definitions) {
    text_ += "null";
  } else if (options_.custom != nullptr) {
    options_.custom->write_definitions(text_);
  } else if (rules.columns.empty()) {
    table::write_definitions(text_, table::kPlainColumns);
  } else {
    table::write_definitions(text_, rules.columns);
  }
  text_ += ",\"rows\":[";
}

Result<void> Table::add(std::string_view object) {
  const MetadataText metadata = find_metadata(object);
  const json::Document document =
      TRY(json::parse(table::without(object, metadata.managed_fields, scratch_)));
  add_row(document.root(), object, metadata.all);
  return {};
}

void Table::add_row(api::View document, std::string_view object, std::string_view metadata) {
  if (text_.back() != '[') text_ += ',';
  text_ += "{\"cells\":[";
  if (options_.custom != nullptr) {
    options_.custom->write_cells(text_, *document.value(), options_.now, steps_);
  } else {
    table::JsonCells cells(text_, options_.now);
    (rules_.row == nullptr ? table::plain_row : rules_.row)(document, cells);
  }
  text_ += "],\"object\":";
  switch (options_.include) {
    case IncludeObject::kMetadata:
      write_partial(text_, metadata, options_.version);
      break;
    case IncludeObject::kNone:
      text_ += "null";
      break;
    case IncludeObject::kObject:
      text_ += object;
      break;
  }
  text_ += '}';
}

std::string Table::take() {
  text_ += "]}";
  return std::move(text_);
}

Result<std::string> table_of_one(const kinds::KindRules& rules, std::string_view object,
                                 const Table::Options& options) {
  Table table(rules, options, {.resource_version = find_metadata(object).resource_version});
  TRY(table.add(object));
  return table.take();
}

}  // namespace proa::apiserver
