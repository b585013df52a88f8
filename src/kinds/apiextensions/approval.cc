#include "kinds/apiextensions/approval.h"

#include <fmt/format.h>

namespace proa::kinds::crd {
namespace approval {

bool is_protected(std::string_view group) {
  return group == "k8s.io" || group.ends_with(".k8s.io") || group == "kubernetes.io" ||
         group.ends_with(".kubernetes.io");
}

bool is_url(std::string_view text) {
  const size_t scheme = text.find("://");
  return scheme != std::string_view::npos && scheme > 0 && text.size() > scheme + 3;
}

}  // namespace approval

ApprovalState approval_of(View definition) {
  if (!approval::is_protected(definition["spec"]["group"].text())) return {};
  return annotated_approval(definition);
}

ApprovalState annotated_approval(View definition) {
  const std::string_view text = definition["metadata"]["annotations"][kApprovalAnnotation].text();
  const std::string needed =
      fmt::format("protected groups must have approval annotation \"{}\"", kApprovalAnnotation);
  constexpr std::string_view kSee = ", see https://github.com/kubernetes/enhancements/pull/1111";
  if (text.empty()) return {Approval::kMissing, needed + std::string(kSee)};
  if (text.starts_with("unapproved")) {
    return {Approval::kUnapproved, fmt::format("not approved: \"{}\"", text)};
  }
  if (approval::is_url(text)) return {Approval::kApproved, fmt::format("approved in {}", text)};
  return {
      Approval::kInvalid,
      needed + " with either a URL or a reason starting with \"unapproved\"" + std::string(kSee)};
}

}  // namespace proa::kinds::crd
