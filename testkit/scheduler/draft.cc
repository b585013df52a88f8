#include "testkit/scheduler/draft.h"

#include <iostream>

#include "api/codec/json/decode.h"
#include "api/schema/builtin.h"
#include "base/check.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/print.h"
#include "kinds/defaulting.h"
#include "kinds/kinds.h"

namespace proa::testkit {
namespace draft {

using api::Edit;
using api::View;

const kinds::Defaulting& defaulting() {
  static const kinds::Defaulting one(api::builtin_schema(), kinds::all_type_defaults());
  return one;
}

// Ends a test with invalid input, with the reason.
template <typename T>
T expect(Result<T> result) {
  if (!result.ok()) std::cerr << result.status().message() << std::endl;
  return std::move(result).value();
}

json::Document parse(std::string_view text) { return expect(json::parse(text)); }

json::Document canonical(json::Document document, const api::Type& type,
                         api::FieldValidation validation) {
  return expect(api::decode_document(std::move(document), type, validation)).document;
}

Edit child_of(Edit parent, std::string_view name, json::Kind kind) {
  if (!parent.value().is(json::Kind::kArray)) {
    return kind == json::Kind::kArray ? parent.array(name) : parent.object(name);
  }
  const auto index = parse_uint(name);
  CHECK(index.has_value() && *index < parent.size());
  return parent.item(*index);
}

void prepare(Edit object, const kinds::KindRules& rules) {
  if (rules.prepare_create == nullptr) return;
  SeededRandom random(1);
  rules.prepare_create(object, {.now = parse_time("2026-01-01T00:00:00Z").value(),
                                .random = random,
                                .user = "test",
                                .uid = "",
                                .groups = {}});
}

}  // namespace draft

std::string usual_uid(std::string_view name_space, std::string_view name) {
  std::string uid = "uid-";
  if (!name_space.empty()) uid.append(name_space).append("-");
  return uid.append(name);
}

Draft::Draft(std::string_view group_version, std::string_view kind, std::string_view name,
             std::string_view name_space)
    : type_(api::builtin_schema().find_kind(group_version, kind)),
      group_version_(group_version),
      document_(draft::parse("{}")) {
  CHECK(type_ != nullptr);
  set_text("apiVersion", group_version);
  set_text("kind", kind);
  set_text("metadata.name", name);
  if (!name_space.empty()) set_text("metadata.namespace", name_space);
}

Draft::Draft(const Draft& other)
    : type_(other.type_), group_version_(other.group_version_), document_(other.document_.copy()) {}

api::Edit Draft::step_to(std::string_view path, json::Kind last) {
  api::Edit place(document_);
  while (const auto halves = split_once(path, '.')) {
    // A number follows an array.
    const bool is_index = parse_uint(halves->after.substr(0, halves->after.find('.'))).has_value();
    place =
        draft::child_of(place, halves->before, is_index ? json::Kind::kArray : json::Kind::kObject);
    path = halves->after;
  }
  return draft::child_of(place, path, last);
}

api::Edit Draft::object_at(std::string_view path) { return step_to(path, json::Kind::kObject); }

api::Edit Draft::array_at(std::string_view path) { return step_to(path, json::Kind::kArray); }

api::View Draft::view(std::string_view path) const {
  const api::View root(document_.root());
  return path.empty() ? root : root.at(path);
}

std::pair<api::Edit, std::string_view> Draft::parent_of(std::string_view path) {
  const size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return {api::Edit(document_), path};
  return {object_at(path.substr(0, dot)), path.substr(dot + 1)};
}

void Draft::set_text(std::string_view path, std::string_view text) {
  const auto [parent, name] = parent_of(path);
  parent.set(name, text);
}

void Draft::set_number(std::string_view path, int64_t number) {
  const auto [parent, name] = parent_of(path);
  parent.set(name, number);
}

void Draft::set_flag(std::string_view path, bool flag) {
  const auto [parent, name] = parent_of(path);
  parent.set(name, flag);
}

void Draft::set_json(std::string_view path, std::string_view json) {
  const json::Document value = draft::parse(json);
  const auto [parent, name] = parent_of(path);
  parent.copy(name, value.root());
}

void Draft::push_text(std::string_view path, std::string_view text) {
  array_at(path).push(json::Value::string(document_.arena(), text));
}

void Draft::push_json(std::string_view path, std::string_view json) {
  array_at(path).push(draft::parse(json).root().copy(document_.arena()));
}

void Draft::set_pairs(std::string_view path, const Pairs& pairs) {
  const api::Edit object = object_at(path);
  for (const auto& [name, value] : pairs) object.set(name, value);
}

void Draft::fill_metadata(api::Edit metadata) const {
  metadata.set_default("uid", usual_uid(metadata["namespace"].text(), metadata["name"].text()));
  metadata.set_default("resourceVersion", std::string_view("1"));
  metadata.set_default("creationTimestamp", std::string_view("2026-01-01T00:00:00Z"));
}

api::ObjectPtr Draft::object() const {
  json::Document document =
      draft::canonical(document_.copy(), *type_, api::FieldValidation::kStrict);
  const api::Edit object(document);
  fill_metadata(object.object("metadata"));
  json::Document status;
  if (object["status"].exists()) status.root() = object["status"].value()->copy(status.arena());
  object.remove("status");
  draft::defaulting().apply(object, *type_);
  draft::prepare(object, kinds::find_rules(group_version_, type_->name));
  for (const json::Member& member : std::as_const(status).root().members()) {
    object.object("status").copy(member.key, member.value);
  }
  draft::defaulting().apply(object, *type_);
  const json::Document stored =
      draft::canonical(std::move(document), *type_, api::FieldValidation::kIgnore);
  return api::Object::make(json::print(stored.root()));
}

}  // namespace proa::testkit
