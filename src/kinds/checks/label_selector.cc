#include "kinds/checks/label_selector.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/validation/names.h"
#include "base/strings.h"

namespace proa::kinds {

namespace selector {

using api::View;

bool has_value(View values, std::string_view wanted) {
  return std::any_of(values.items().begin(), values.items().end(),
                     [&](View value) { return value.text() == wanted; });
}

bool matches(View expression, View labels) {
  const std::string_view wanted = expression["operator"].text();
  const View label = labels[expression["key"].text()];
  if (wanted == "In") return label.exists() && has_value(expression["values"], label.text());
  if (wanted == "NotIn") return !label.exists() || !has_value(expression["values"], label.text());
  if (wanted == "Exists") return label.exists();
  return !label.exists();
}

bool is_valid(View expression) {
  const std::string_view wanted = expression["operator"].text();
  const bool has_values = !expression["values"].empty();
  if (wanted == "In" || wanted == "NotIn") {
    if (!has_values) return false;
  } else if (wanted != "Exists" && wanted != "DoesNotExist") {
    return false;
  } else if (has_values) {
    return false;
  }
  for (const View value : expression["values"].items()) {
    if (!api::check_label_value(value.text()).empty()) return false;
  }
  return api::check_qualified_name(expression["key"].text()).empty();
}

std::string text(View expression) {
  std::string key(expression["key"].text());
  const std::string_view wanted = expression["operator"].text();
  if (wanted == "Exists") return key;
  if (wanted == "DoesNotExist") return "!" + key;
  std::vector<std::string_view> values;
  for (const View value : expression["values"].items()) values.push_back(value.text());
  std::sort(values.begin(), values.end());
  return key + (wanted == "In" ? " in (" : " notin (") + join(values, ",") + ")";
}

std::string joined(std::vector<std::pair<std::string_view, std::string>> parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string all;
  for (const auto& [key, part] : parts) {
    if (!all.empty()) all += ",";
    all += part;
  }
  return all;
}

}  // namespace selector

bool selector_is_valid(api::View selector) {
  for (const json::Member& label : selector["matchLabels"].members()) {
    if (!api::check_qualified_name(label.key).empty()) return false;
    if (!api::check_label_value(api::View(label.value).text()).empty()) return false;
  }
  const auto expressions = selector["matchExpressions"].items();
  return std::all_of(expressions.begin(), expressions.end(), selector::is_valid);
}

bool selector_is_empty(api::View selector) {
  return selector.exists() && selector["matchLabels"].empty() &&
         selector["matchExpressions"].empty();
}

bool selector_matches(api::View selector, api::View labels) {
  if (!selector.exists()) return false;
  for (const json::Member& wanted : selector["matchLabels"].members()) {
    const api::View label = labels[wanted.key];
    if (!label.exists() || label.text() != api::View(wanted.value).text()) return false;
  }
  const auto expressions = selector["matchExpressions"].items();
  return std::all_of(expressions.begin(), expressions.end(),
                     [&](api::View expression) { return selector::matches(expression, labels); });
}

std::string selector_text(api::View selector) {
  std::vector<std::pair<std::string_view, std::string>> parts;
  for (const json::Member& label : selector["matchLabels"].members()) {
    parts.emplace_back(label.key,
                       std::string(label.key) + "=" + std::string(api::View(label.value).text()));
  }
  for (const api::View expression : selector["matchExpressions"].items())
    parts.emplace_back(expression["key"].text(), selector::text(expression));
  return selector::joined(std::move(parts));
}

std::string selector_cell(api::View selector) {
  if (!selector_is_valid(selector)) return "<error>";
  std::string text = selector_text(selector);
  return text.empty() ? "<none>" : text;
}

}  // namespace proa::kinds
