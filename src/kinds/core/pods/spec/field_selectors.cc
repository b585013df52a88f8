#include "kinds/core/pods/spec/field_selectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "api/quantity.h"
#include "base/strings.h"

namespace proa::kinds::pods {

namespace field_selectors {

// Each list is sorted, as messages print them.
constexpr std::array<std::string_view, 9> kForEnvironment{"metadata.name",
                                                          "metadata.namespace",
                                                          "metadata.uid",
                                                          "spec.nodeName",
                                                          "spec.serviceAccountName",
                                                          "status.hostIP",
                                                          "status.hostIPs",
                                                          "status.podIP",
                                                          "status.podIPs"};
constexpr std::array<std::string_view, 5> kForVolumes{"metadata.annotations", "metadata.labels",
                                                      "metadata.name", "metadata.namespace",
                                                      "metadata.uid"};
// Field paths that the API knows, whether or not they are allowed here.
constexpr std::array<std::string_view, 14> kKnown{
    "metadata.annotations", "metadata.labels", "metadata.name",      "metadata.namespace",
    "metadata.uid",         "spec.nodeName",   "spec.restartPolicy", "spec.serviceAccountName",
    "spec.schedulerName",   "status.phase",    "status.hostIP",      "status.hostIPs",
    "status.podIP",         "status.podIPs"};
constexpr std::array<std::string_view, 6> kResources{
    "limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
    "requests.cpu", "requests.ephemeral-storage", "requests.memory"};

bool is_in(std::span<const std::string_view> list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool takes_subscript(std::string_view path) {
  return path == "metadata.annotations" || path == "metadata.labels";
}

// Why the path is not a field of a pod; empty if it is.
std::string conversion_problem(View selector) {
  const std::string_view version = selector["apiVersion"].text();
  const std::string_view field = selector["fieldPath"].text();
  if (version != "v1") return fmt::format("unsupported pod version: {}", version);
  if (const auto parts = split_subscript(field)) {
    if (takes_subscript(parts->path)) return {};
    return fmt::format("field label does not support subscript: {}", field);
  }
  if (field == "spec.host" || is_in(kKnown, field)) return {};
  return fmt::format("field label not supported: {}", field);
}

bool is_power(const api::Quantity& divisor) {
  const std::string text = divisor.str();
  return contains(
      {"1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"}, text);
}

bool is_huge_pages(std::string_view resource) {
  return resource.starts_with("requests.hugepages-") || resource.starts_with("limits.hugepages-");
}

void check_divisor(std::string_view resource, View divisor, const Path& path, FieldErrors& errors) {
  const auto parsed = api::Quantity::parse(divisor.text("0"));
  if (!parsed.ok() || parsed->is_zero()) return;
  const auto refuse = [&](std::string_view values, std::string_view what) {
    errors.invalid(
        path.field("divisor"), resource,
        fmt::format("only divisor's values {} are supported with the {} resource", values, what));
  };
  constexpr std::string_view kPowers = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei";
  if (resource.ends_with("s.cpu")) {
    const std::string text = parsed->str();
    if (text != "1m" && text != "1") refuse("1m and 1", "cpu");
  } else if (is_power(*parsed)) {
    return;
  } else if (resource.ends_with("s.memory")) {
    refuse(kPowers, "memory");
  } else if (resource.ends_with("s.ephemeral-storage")) {
    refuse(kPowers, "local ephemeral storage");
  } else if (is_huge_pages(resource)) {
    refuse(kPowers, "hugepages");
  }
}

}  // namespace field_selectors

std::optional<Subscripted> split_subscript(std::string_view text) {
  if (!text.ends_with("']")) return std::nullopt;
  const std::string_view inner = text.substr(0, text.size() - 2);
  const size_t bracket = inner.find("['");
  if (bracket == std::string_view::npos || bracket == 0) return std::nullopt;
  return Subscripted{inner.substr(0, bracket), inner.substr(bracket + 2)};
}

void validate_field_selector(View selector, SelectorUse use, const Path& path,
                             FieldErrors& errors) {
  if (!require_text(selector, "apiVersion", path, errors)) return;
  if (!require_text(selector, "fieldPath", path, errors)) return;
  std::string_view field = selector["fieldPath"].text();
  if (const std::string problem = field_selectors::conversion_problem(selector); !problem.empty()) {
    errors.invalid(path.field("fieldPath"), field,
                   fmt::format("error converting fieldPath: {}", problem));
    return;
  }
  if (const auto parts = split_subscript(field)) {
    const std::string key =
        parts->path == "metadata.annotations" ? to_lower(parts->key) : std::string(parts->key);
    for (const std::string& problem : api::check_qualified_name(key))
      errors.invalid(path, key, problem);
    return;
  }
  if (field == "spec.host") field = "spec.nodeName";
  const std::span<const std::string_view> allowed =
      use == SelectorUse::kEnvironment
          ? std::span<const std::string_view>(field_selectors::kForEnvironment)
          : field_selectors::kForVolumes;
  if (!field_selectors::is_in(allowed, field))
    errors.not_supported(path.field("fieldPath"), field, allowed);
}

void validate_resource_selector(View selector, SelectorUse use, const Path& path,
                                FieldErrors& errors) {
  const std::string_view resource = selector["resource"].text();
  const auto& known = field_selectors::kResources;
  if (use == SelectorUse::kVolume && selector["containerName"].text().empty()) {
    errors.required(path.field("containerName"));
  } else if (resource.empty()) {
    errors.required(path.field("resource"));
  } else if (!field_selectors::is_in(known, resource) &&
             !field_selectors::is_huge_pages(resource)) {
    errors.not_supported(path.field("resource"), resource, known);
  }
  field_selectors::check_divisor(resource, selector["divisor"], path, errors);
}

}  // namespace proa::kinds::pods
