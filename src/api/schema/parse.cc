#include "api/schema/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "api/schema/attributes.h"
#include "api/schema/items.h"
#include "api/schema/resource_reader.h"
#include "api/schema/type_builder.h"
#include "base/strings.h"

namespace proa::api {
namespace parse_schema_files {

struct FormWord {
  std::string_view word;
  Form form;
};

constexpr std::array kForms{
    FormWord{"quantity", Form::kQuantity},
    FormWord{"int-or-string", Form::kIntOrString},
    FormWord{"time", Form::kTime},
    FormWord{"micro-time", Form::kMicroTime},
    FormWord{"duration", Form::kDuration},
    FormWord{"raw", Form::kRaw},
    FormWord{"json", Form::kJson},
    FormWord{"strings", Form::kStrings},
    FormWord{"schema-or-list", Form::kSchemaOrList},
    FormWord{"schema-or-bool", Form::kSchemaOrBool},
    FormWord{"schema-or-strings", Form::kSchemaOrStrings},
};

// What is the same for all kinds and lists is stated here, not in the files.
constexpr std::string_view kAboutKind =
    "Kind of the object, such as Pod, by which clients know how to read it; never changes.";
constexpr std::string_view kAboutVersion =
    "Group and version of the form in which the object is written, such as apps/v1; v1 for the "
    "core group.";
constexpr std::string_view kAboutListMetadata =
    "Version at which the list was read, for a watch that continues from it, and how to get the "
    "rest.";
constexpr std::string_view kAboutItems = "The objects of the list; empty if there are none.";

// A file, and the types that it defines.
struct Scope {
  SchemaFile file;
  std::vector<SchemaItem> items;
  std::string_view group_version;
  std::string_view package;
  std::string_view openapi;
  std::vector<std::string_view> uses;
  int group_priority = 0;
  int version_priority = 0;
  std::unordered_map<std::string_view, Type*> types;
};

class Parser {
 public:
  explicit Parser(Schema& schema) : schema_(schema) {}

  // The two passes over a file. All files have the first pass before any has the second.
  Result<void> read_heads(const SchemaFile& file);
  Result<void> read_fields(Scope& scope);
  Result<void> read_all(std::span<const SchemaFile> files);

 private:
  Status wrong(const Scope& scope, const SchemaItem& item, std::string_view what) const {
    return {Reason::kInternalError,
            fmt::format("schema/{}.schema:{}: {}", scope.file.name, item.line, what)};
  }
  // False if it is the head of a type or resource, not a setting.
  static bool read_setting(Scope& scope, std::span<const std::string_view> words);
  Result<void> read_head(Scope& scope, std::span<const std::string_view> words);
  Result<void> read_head_attributes(Type& type, std::span<const std::string_view> words);
  Result<void> read_type(const Scope& scope, const SchemaItem& head,
                         std::span<const SchemaItem> items);
  Result<void> read_resource(const Scope& scope, const SchemaItem& head,
                             std::span<const SchemaItem> items);
  // Links resources that are stored in the form of another one.
  Result<void> link_stored();
  // Parses "of ..." in the head of a list or codec.
  Result<void> read_of(const Scope& scope, std::span<const std::string_view> words, Type& type,
                       TypeBuilder& builder);
  Result<void> read_item(const Scope& scope, const SchemaItem& item, TypeBuilder& builder,
                         std::vector<size_t>& groups);
  Result<void> add_list_fields(const Scope& scope, std::string_view item, TypeBuilder& builder);
  Result<void> read_type_name(const Scope& scope, std::string_view text, Field& field) const;
  const Type* find_type(const Scope& scope, std::string_view name) const;
  std::string_view joined(std::string_view a, char between, std::string_view b) {
    return schema_.arena().copy(fmt::format("{}{}{}", a, between, b));
  }

  Schema& schema_;
  std::map<std::string_view, Scope> scopes_;

  struct StoredElsewhere {
    Resource* resource;
    const Scope* scope;
    const SchemaItem* head;
    std::string_view file;
  };
  std::vector<StoredElsewhere> stored_elsewhere_;
};

Result<void> Parser::read_all(std::span<const SchemaFile> files) {
  for (const SchemaFile& file : files) TRY(read_heads(file));
  for (const SchemaFile& file : files) TRY(read_fields(scopes_.at(file.name)));
  return link_stored();
}

Result<void> Parser::read_heads(const SchemaFile& file) {
  Scope& scope = scopes_[file.name];
  scope.file = file;
  scope.items = split_items(file.text);
  for (const SchemaItem& item : scope.items) {
    if (item.indented) continue;
    const auto words = item.words();
    if (words.size() < 2) return wrong(scope, item, "a word is missing");
    if (read_setting(scope, words) || words[0] == "resource") continue;
    const auto read = read_head(scope, words);
    if (!read.ok()) return wrong(scope, item, read.status().message());
  }
  return {};
}

bool Parser::read_setting(Scope& scope, std::span<const std::string_view> words) {
  if (words[0] == "group") {
    scope.group_version = words[1];
    if (words.size() == 5 && words[2] == "priority") {
      scope.group_priority = static_cast<int>(parse_uint(words[3]).value_or(0));
      scope.version_priority = static_cast<int>(parse_uint(words[4]).value_or(0));
    }
  } else if (words[0] == "package") {
    scope.package = words[1];
  } else if (words[0] == "openapi") {
    scope.openapi = words[1];
  } else if (words[0] == "use") {
    scope.uses.assign(words.begin() + 1, words.end());
  } else {
    return false;
  }
  return true;
}

Result<void> Parser::read_head(Scope& scope, std::span<const std::string_view> words) {
  const std::string_view what = words[0];
  const std::string_view name = words[1];
  words = words.subspan(2);
  if (what != "kind" && what != "type" && what != "list" && what != "codec")
    return Status(Reason::kInternalError, fmt::format("\"{}\" is not allowed here", what));
  if (scope.types.contains(name))
    return Status(Reason::kInternalError, fmt::format("type {} is defined twice", name));
  Type& type = schema_.add();
  scope.types[name] = &type;
  type.name = name;
  type.group_version = scope.group_version;
  type.openapi = joined(scope.openapi, '.', name);
  type.proto = joined(scope.package, '.', name);
  type.is_kind = what == "kind" || what == "list";
  if (what == "list") {
    if (words.size() < 2 || words[0] != "of")
      return Status(Reason::kInternalError, "a list needs \"of\" and its kind");
    type.description = schema_.arena().copy(fmt::format("A list of {} objects.", words[1]));
    words = words.subspan(2);
  }
  if (what == "codec") {
    const auto form = std::find_if(kForms.begin(), kForms.end(), [&](const FormWord& known) {
      return !words.empty() && known.word == words[0];
    });
    if (form == kForms.end())
      return Status(Reason::kInternalError, "a codec needs the word of its form");
    type.form = form->form;
    words = words.subspan(words.size() > 2 && words[1] == "of" ? 3 : 1);
  }
  return read_head_attributes(type, words);
}

Result<void> Parser::read_head_attributes(Type& type, std::span<const std::string_view> words) {
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "atomic") {
      type.map_type = MapType::kAtomic;
    } else if (word == "deprecated") {
      type.deprecated = true;
    } else if (word == "json-only") {
      type.has_proto = false;
    } else if (word == "unpublished") {
      type.published = false;
    } else if (word == "openapi" && i + 1 < words.size()) {
      type.openapi = words[++i];
      std::string proto = "k8s.io" + std::string(type.openapi.substr(type.openapi.find('.', 3)));
      std::replace(proto.begin(), proto.end(), '-', '_');
      type.proto = schema_.arena().copy(proto);
    } else if (word.front() == '"') {
      type.description = description_of(schema_.arena(), word);
    } else {
      return Status(Reason::kInternalError, fmt::format("\"{}\" is not allowed here", word));
    }
  }
  return {};
}

Result<void> Parser::read_fields(Scope& scope) {
  for (size_t i = 0; i < scope.items.size();) {
    const SchemaItem& head = scope.items[i++];
    if (head.indented) return wrong(scope, head, "a field without a type above it");
    size_t end = i;
    while (end < scope.items.size() && scope.items[end].indented) ++end;
    const auto below = std::span(scope.items).subspan(i, end - i);
    const bool is_resource = head.text.starts_with("resource ");
    TRY(is_resource ? read_resource(scope, head, below) : read_type(scope, head, below));
    i = end;
  }
  return {};
}

Result<void> Parser::read_type(const Scope& scope, const SchemaItem& head,
                               std::span<const SchemaItem> items) {
  const auto words = head.words();
  const auto found = scope.types.find(words[1]);
  if (found == scope.types.end()) {
    if (items.empty()) return {};  // a setting
    return wrong(scope, items.front(), "a field without a type above it");
  }
  Type& type = *found->second;
  TypeBuilder builder(schema_.arena());
  if (type.is_kind) {
    builder.add({.name = "kind", .type = scalar_type("string")}, kAboutKind);
    builder.add({.name = "apiVersion", .type = scalar_type("string")}, kAboutVersion);
  }
  const auto begun = read_of(scope, words, type, builder);
  if (!begun.ok()) return wrong(scope, head, begun.status().message());
  std::vector<size_t> groups;
  for (const SchemaItem& item : items) {
    if (!type.is_message()) return wrong(scope, item, "a codec has no fields");
    const auto read = read_item(scope, item, builder, groups);
    if (!read.ok()) return wrong(scope, item, read.status().message());
  }
  for (; !groups.empty(); groups.pop_back()) builder.end_group();
  const auto finished = builder.finish(type);
  if (!finished.ok()) return wrong(scope, head, finished.status().message());
  return {};
}

Result<void> Parser::read_resource(const Scope& scope, const SchemaItem& head,
                                   std::span<const SchemaItem> items) {
  const ResourceScope resource_scope{schema_.arena(), scope.group_version,
                                     [&](std::string_view name) { return find_type(scope, name); }};
  auto read = api::read_resource(resource_scope, head, items);
  if (!read.ok()) return wrong(scope, head, read.status().message());
  Resource& resource = schema_.add(read->resource);
  resource.group_priority = scope.group_priority;
  resource.version_priority = scope.version_priority;
  if (!read->stored_in.empty()) {
    stored_elsewhere_.push_back({&resource, &scope, &head, read->stored_in});
  } else if (!resource.key_prefix.empty()) {
    resource.stored = &resource;
  }
  return {};
}

Result<void> Parser::link_stored() {
  for (const StoredElsewhere& one : stored_elsewhere_) {
    const auto file = scopes_.find(one.file);
    const auto same = std::find_if(
        schema_.resources().begin(), schema_.resources().end(), [&](const Resource* other) {
          return file != scopes_.end() && other->name == one.resource->name &&
                 other->group_version() == file->second.group_version;
        });
    if (same == schema_.resources().end() || (*same)->stored != *same)
      return wrong(*one.scope, *one.head, fmt::format("{} has no such stored resource", one.file));
    one.resource->stored = *same;
    one.resource->key_prefix = (*same)->key_prefix;
    one.resource->storage_hash = (*same)->storage_hash;
    one.resource->ttl = (*same)->ttl;
  }
  return {};
}

Result<void> Parser::read_of(const Scope& scope, std::span<const std::string_view> words,
                             Type& type, TypeBuilder& builder) {
  if (words[0] == "list") return add_list_fields(scope, words[3], builder);
  if (type.is_message() || words.size() < 5 || words[3] != "of") return {};
  type.element = find_type(scope, words[4]);
  if (type.element == nullptr)
    return Status(Reason::kInternalError, fmt::format("unknown type {}", words[4]));
  return {};
}

Result<void> Parser::read_item(const Scope& scope, const SchemaItem& item, TypeBuilder& builder,
                               std::vector<size_t>& groups) {
  const auto words = item.words();
  if (words.size() < 3) return Status(Reason::kInternalError, "a word is missing");
  if (words[0] == "union") {
    builder.add_union(TRY(read_union(schema_.arena(), words)));
    return {};
  }
  if (words[0] == "removed") {
    builder.remove_number(static_cast<uint32_t>(parse_uint(words[1]).value_or(0)));
    return {};
  }
  for (; !groups.empty() && item.column <= groups.back(); groups.pop_back()) builder.end_group();
  // Protobuf has 29 bits for a number.
  const auto number = words[0] == "-" ? 0 : parse_uint(words[0]).value_or(0);
  if (words[0] != "-" && (number == 0 || number >= (1U << 29)))
    return Status(Reason::kInternalError, "invalid field number");
  if (words[2] == "inline") {
    builder.begin_group(static_cast<uint32_t>(number), words[1]);
    groups.push_back(item.column);
    return {};
  }
  Field field{.name = words[1], .number = static_cast<uint32_t>(number)};
  TRY(read_type_name(scope, words[2], field));
  const auto attributes = std::span(words).subspan(3);
  const std::string_view description = TRY(read_attributes(schema_.arena(), attributes, field));
  builder.add(field, description);
  return {};
}

Result<void> Parser::add_list_fields(const Scope& scope, std::string_view item,
                                     TypeBuilder& builder) {
  Field metadata{.name = "metadata", .number = 1};
  TRY(read_type_name(scope, "ListMeta", metadata));
  builder.add(metadata, kAboutListMetadata);
  Field items{
      .name = "items", .number = 2, .shape = Shape::kList, .omit = Omit::kNever, .required = true};
  items.type = find_type(scope, item);
  if (items.type == nullptr)
    return Status(Reason::kInternalError, fmt::format("unknown type {}", item));
  builder.add(items, kAboutItems);
  return {};
}

Result<void> Parser::read_type_name(const Scope& scope, std::string_view text, Field& field) const {
  const auto take = [&](std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
  };
  if (take("*")) field.pointer = true;
  if (take("[]")) {
    field.shape = Shape::kList;
  } else if (take("map[string]")) {
    field.shape = Shape::kMap;
  }
  if (field.pointer && field.shape != Shape::kSingle)
    return Status(Reason::kInternalError, "a list or map is never a pointer");
  field.type = find_type(scope, text);
  if (field.type == nullptr)
    return Status(Reason::kInternalError, fmt::format("unknown type {}", text));
  return {};
}

const Type* Parser::find_type(const Scope& scope, std::string_view name) const {
  if (const Type* scalar = scalar_type(name)) return scalar;
  const auto in = [&](std::string_view file, std::string_view wanted) -> const Type* {
    const auto other = scopes_.find(file);
    if (other == scopes_.end()) return nullptr;
    const auto found = other->second.types.find(wanted);
    return found == other->second.types.end() ? nullptr : found->second;
  };
  if (const auto qualified = split_once(name, '.')) return in(qualified->before, qualified->after);
  if (const Type* own = in(scope.file.name, name)) return own;
  for (const std::string_view used : scope.uses) {
    if (const Type* type = in(used, name)) return type;
  }
  return nullptr;
}

}  // namespace parse_schema_files

Result<Schema> parse_schema(std::span<const SchemaFile> files) {
  Schema schema;
  TRY(parse_schema_files::Parser(schema).read_all(files));
  TRY(schema.seal());
  return schema;
}

}  // namespace proa::api
