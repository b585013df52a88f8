#include "controllers/framework/selector_text.h"

#include <map>

namespace proa::controllers {

std::string go_selector_text(api::View selector) {
  if (!selector.exists()) return "nil";
  std::map<std::string_view, std::string_view> labels;
  for (const json::Member& label : selector["matchLabels"].members()) {
    labels[label.key] = api::View(label.value).text();
  }
  std::string text = "&LabelSelector{MatchLabels:map[string]string{";
  for (const auto& [key, value] : labels) {
    text.append(key).append(": ").append(value).append(",");
  }
  text += "},MatchExpressions:[]LabelSelectorRequirement{";
  for (const api::View one : selector["matchExpressions"].items()) {
    text.append("LabelSelectorRequirement{Key:").append(one["key"].text());
    text.append(",Operator:").append(one["operator"].text()).append(",Values:[");
    std::string values;
    for (const api::View value : one["values"].items()) {
      values.append(values.empty() ? "" : " ").append(value.text());
    }
    text += values + "],},";
  }
  return text + "},}";
}

}  // namespace proa::controllers
