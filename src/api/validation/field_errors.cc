#include "api/validation/field_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "api/validation/go_form.h"
#include "api/validation/go_text.h"
#include "base/strings.h"
#include "base/text/seeded_hash.h"
#include "json/print.h"

namespace proa::api {

namespace field_errors {

// Keeps at most `most` bytes, and says how many there were.
void cut(std::string& text, size_t most) {
  if (text.size() <= most) return;
  const size_t size = text.size();
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  text.resize(most);
  text += fmt::format("... ({} bytes)", size);
}

std::string value_text(View value) {
  if (!value.exists()) return "null";
  if (value.is(json::Kind::kString)) return quoted(value.text());
  return json::print(*value.value());
}

// Checks show other values than that of their path, too.
bool may_be(View value, const Path::Place& place) {
  if (place.shape == Shape::kList) return value.is(json::Kind::kArray);
  const bool object = place.shape == Shape::kMap || place.type->is_message();
  return value.is(json::Kind::kObject) == object;
}

std::string with_detail(std::string_view what, std::string_view detail) {
  return detail.empty() ? std::string(what) : fmt::format("{}: {}", what, detail);
}

std::string with_value(std::string_view what, std::string value, std::string_view detail) {
  cut(value, FieldErrors::kMaxValueBytes);
  return with_detail(fmt::format("{}: {}", what, value), detail);
}

std::string supported_text(std::span<const std::string_view> supported) {
  std::string text;
  for (const std::string_view each : supported) {
    text += text.empty() ? "supported values: " : ", ";
    text += quoted(each);
  }
  return text;
}

std::string counted(std::string_view phrase, size_t number, std::string_view unit) {
  return fmt::format("{} {} {}{}", phrase, number, unit, number == 1 ? "" : "s");
}

}  // namespace field_errors

void Path::append_to(std::string& out) const {
  if (parent_ != nullptr) parent_->append_to(out);
  switch (step_) {
    case Step::kField:
      if (!out.empty() && !name_.empty()) out += '.';
      out += name_;
      return;
    case Step::kKey:
      out += fmt::format("[{}]", name_);
      return;
    case Step::kIndex:
      out += fmt::format("[{}]", number_);
      return;
  }
}

std::string Path::str() const {
  std::string out;
  append_to(out);
  return out.empty() ? "<nil>" : out;
}

Path::Place Path::find(const Type& root) const {
  if (parent_ == nullptr && name_.empty()) return {&root, Shape::kSingle, false};
  Place place = parent_ == nullptr ? Place{&root, Shape::kSingle, false} : parent_->find(root);
  if (place.type == nullptr) return {};
  if (step_ != Step::kField) {
    const bool fits = place.shape == (step_ == Step::kIndex ? Shape::kList : Shape::kMap);
    return fits ? Place{place.type, Shape::kSingle, false} : Place{};
  }
  for (const std::string_view name : split(name_, '.')) {
    if (place.shape != Shape::kSingle || !place.type->is_message()) return {};
    const Field* field = place.type->find(name);
    if (field == nullptr) return {};
    place = {field->type, field->shape, field->pointer};
  }
  return place;
}

std::string FieldErrors::shown(const Path& path, View value) const {
  if (value.is(json::Kind::kString)) return quoted(value.text());
  const Path::Place place = root_ == nullptr ? Path::Place() : path.find(*root_);
  if (place.type == nullptr || (place.pointer && !value.exists()) ||
      (value.exists() && !field_errors::may_be(value, place))) {
    return field_errors::value_text(value);
  }
  return go_form(value, *place.type, place.shape);
}

void FieldErrors::add(const Path& path, std::string_view reason, std::string message) {
  std::string field = path.str();
  const size_t left = kMaxBytes - bytes_;
  bytes_ += field.size() + message.size();
  field_errors::cut(field, left);
  field_errors::cut(message, left - std::min(left, field.size()));
  causes_.push_back({std::string(reason), std::move(message), std::move(field)});
}

void FieldErrors::required(const Path& path, std::string_view detail) {
  if (only_counts()) return;
  add(path, "FieldValueRequired", field_errors::with_detail("Required value", detail));
}

void FieldErrors::invalid(const Path& path, View value, std::string_view detail) {
  if (only_counts()) return;
  add(path, "FieldValueInvalid",
      field_errors::with_value("Invalid value", shown(path, value), detail));
}

void FieldErrors::invalid(const Path& path, std::string_view value, std::string_view detail) {
  if (only_counts()) return;
  add(path, "FieldValueInvalid", field_errors::with_value("Invalid value", quoted(value), detail));
}

void FieldErrors::invalid(const Path& path, int64_t value, std::string_view detail) {
  if (only_counts()) return;
  add(path, "FieldValueInvalid",
      field_errors::with_value("Invalid value", std::to_string(value), detail));
}

void FieldErrors::invalid(const Path& path, View value, const Type& type, std::string_view detail) {
  if (only_counts()) return;
  add(path, "FieldValueInvalid",
      field_errors::with_value("Invalid value", go_form(value, type), detail));
}

void FieldErrors::invalid_shown(const Path& path, std::string value, std::string_view detail) {
  if (only_counts()) return;
  add(path, "FieldValueInvalid",
      field_errors::with_value("Invalid value", std::move(value), detail));
}

void FieldErrors::invalid(const Path& path, std::nullptr_t, std::string_view detail) {
  if (only_counts()) return;
  add(path, "FieldValueInvalid", field_errors::with_value("Invalid value", "null", detail));
}

void FieldErrors::invalid_each(const Path& path, std::string_view value,
                               std::span<const std::string> details) {
  for (const std::string& detail : details) invalid(path, value, detail);
}

void FieldErrors::not_supported(const Path& path, std::string_view value,
                                std::span<const std::string_view> supported) {
  if (only_counts()) return;
  add(path, "FieldValueNotSupported",
      field_errors::with_value("Unsupported value", quoted(value),
                               field_errors::supported_text(supported)));
}

void FieldErrors::not_supported(const Path& path, View value,
                                std::span<const std::string_view> supported) {
  if (only_counts()) return;
  add(path, "FieldValueNotSupported",
      field_errors::with_value("Unsupported value", field_errors::value_text(value),
                               field_errors::supported_text(supported)));
}

void FieldErrors::forbidden(const Path& path, std::string_view detail) {
  if (only_counts()) return;
  add(path, "FieldValueForbidden", field_errors::with_detail("Forbidden", detail));
}

void FieldErrors::duplicate(const Path& path, View value) {
  if (only_counts()) return;
  add(path, "FieldValueDuplicate",
      field_errors::with_value("Duplicate value", shown(path, value), {}));
}

void FieldErrors::duplicate(const Path& path, std::string_view value) {
  if (only_counts()) return;
  add(path, "FieldValueDuplicate", field_errors::with_value("Duplicate value", quoted(value), {}));
}

void FieldErrors::internal(const Path& path, std::string_view detail) {
  if (only_counts()) return;
  add(path, "InternalError", field_errors::with_detail("Internal error", detail));
}

void FieldErrors::not_found(const Path& path, std::string_view value) {
  if (only_counts()) return;
  add(path, "FieldValueNotFound", field_errors::with_value("Not found", quoted(value), {}));
}

void FieldErrors::too_long(const Path& path, size_t most_bytes) {
  if (only_counts()) return;
  add(path, "FieldValueTooLong",
      field_errors::with_detail("Too long",
                                field_errors::counted("may not be more than", most_bytes, "byte")));
}

void FieldErrors::too_many(const Path& path, size_t found, size_t most) {
  if (only_counts()) return;
  add(path, "FieldValueTooMany",
      field_errors::with_value("Too many", std::to_string(found),
                               field_errors::counted("must have at most", most, "item")));
}

void FieldErrors::too_few(const Path& path, size_t found, size_t least) {
  if (only_counts()) return;
  add(path, "FieldValueTooFew",
      field_errors::with_value("Too few", std::to_string(found),
                               field_errors::counted("must have at least", least, "item")));
}

std::vector<std::string> FieldErrors::texts() const {
  std::vector<std::string> texts;
  texts.reserve(causes_.size());
  for (const StatusCause& cause : causes_)
    texts.push_back(fmt::format("{}: {}", cause.field, cause.message));
  if (unstated_ > 0) texts.push_back(rest());
  return texts;
}

std::string FieldErrors::rest() const { return fmt::format("and {} more", unstated_); }

Status FieldErrors::to_status(std::string_view group, std::string_view kind,
                              std::string_view name) const {
  // Valid names are far shorter, but this may be the invalid one.
  constexpr size_t kMaxNameBytes = size_t{4} << 10;
  std::string shown(name);
  field_errors::cut(shown, kMaxNameBytes);
  std::string message(kind);
  if (!group.empty()) message += fmt::format(".{}", group);
  message += fmt::format(" {} is invalid", quoted(shown));

  const std::vector<std::string> all = texts();
  std::unordered_set<std::string_view, SeededHash> seen;
  std::string list;
  for (const std::string& text : all) {
    if (!seen.insert(text).second) continue;
    if (!list.empty()) list += ", ";
    list += text;
  }
  if (!seen.empty()) message += seen.size() == 1 ? ": " + list : ": [" + list + "]";
  StatusDetails details{.name = std::move(shown),
                        .group = std::string(group),
                        .kind = std::string(kind),
                        .causes = causes_};
  if (unstated_ > 0) details.causes.push_back({.reason = {}, .message = rest(), .field = {}});
  return Status(Reason::kInvalid, std::move(message)).with_details(std::move(details));
}

}  // namespace proa::api
