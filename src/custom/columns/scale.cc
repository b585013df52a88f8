#include "custom/columns/scale.h"

#include <fmt/format.h>

#include <limits>
#include <vector>

#include "base/strings.h"
#include "custom/decode/show.h"

namespace proa::custom {
namespace scale {

// A leading period is ignored.
std::vector<std::string_view> steps_of(std::string_view path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  return split(path, '.');
}

Status wrong_type(std::string_view path, const json::Value& value, std::string_view wanted) {
  return {Reason::kBadRequest,
          fmt::format(".{} accessor error: {} is of the type {}, expected {}",
                      join(steps_of(path), "."), go_value(value), go_type_name(value), wanted)};
}

void validate_replicas(const json::Value& object, std::string_view path, api::FieldErrors& errors) {
  const api::Path field(path);
  const auto found = integer_at(object, path);
  if (!found.ok()) return errors.invalid(field, int64_t{0}, found.status().message());
  const int64_t replicas = found->value_or(0);
  if (replicas < 0) return errors.invalid(field, replicas, "should be a non-negative integer");
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (replicas > kMost) {
    errors.invalid(field, replicas, fmt::format("should be less than or equal to {}", kMost));
  }
}

}  // namespace scale

Result<const json::Value*> find_at(const json::Value& object, std::string_view path) {
  const json::Value* value = &object;
  const std::vector<std::string_view> steps = scale::steps_of(path);
  for (size_t i = 0; i < steps.size(); ++i) {
    if (value->is_null()) return nullptr;
    if (!value->is(json::Kind::kObject)) {
      const std::vector<std::string_view> so_far(
          steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      return Status(
          Reason::kBadRequest,
          fmt::format(".{} accessor error: {} is of the type {}, expected map[string]interface{{}}",
                      join(so_far, "."), go_value(*value), go_type_name(*value)));
    }
    value = value->find(steps[i]);
    if (value == nullptr) return nullptr;
  }
  return value;
}

Result<std::optional<int64_t>> integer_at(const json::Value& object, std::string_view path) {
  const json::Value* value = TRY(find_at(object, path));
  if (value == nullptr) return std::optional<int64_t>();
  if (!value->is(json::Kind::kInt)) return scale::wrong_type(path, *value, "int64");
  return std::optional(value->as_int());
}

Result<std::optional<std::string_view>> text_at(const json::Value& object, std::string_view path) {
  const json::Value* value = TRY(find_at(object, path));
  if (value == nullptr) return std::optional<std::string_view>();
  if (!value->is(json::Kind::kString)) return scale::wrong_type(path, *value, "string");
  return std::optional(value->as_string());
}

Result<void> set_at(json::Arena& arena, json::Value& object, std::string_view path,
                    json::Value value) {
  json::Value* place = &object;
  const std::vector<std::string_view> steps = scale::steps_of(path);
  for (size_t i = 0; i + 1 < steps.size(); ++i) {
    json::Value* next = place->find(steps[i]);
    if (next == nullptr) next = &place->set(arena, steps[i], json::Value::object());
    if (!next->is(json::Kind::kObject)) {
      return Status(Reason::kBadRequest,
                    fmt::format("value cannot be set because {} is not a map[string]interface{{}}",
                                steps[i]));
    }
    place = next;
  }
  place->set(arena, steps.back(), std::move(value));
  return {};
}

void validate_scale_spec(const json::Value& object, const ScalePaths& paths,
                         api::FieldErrors& errors) {
  scale::validate_replicas(object, paths.spec_replicas, errors);
}

void validate_scale_status(const json::Value& object, const ScalePaths& paths,
                           api::FieldErrors& errors) {
  scale::validate_replicas(object, paths.status_replicas, errors);
  if (paths.label_selector.empty()) return;
  const auto selector = text_at(object, paths.label_selector);
  if (selector.ok()) return;
  const api::Path field(paths.label_selector);
  errors.invalid(field, std::string_view(), selector.status().message());
}

}  // namespace proa::custom
