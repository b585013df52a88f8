#pragma once

#include <string>

#include "kinds/rules.h"

namespace proa::kinds::crd {

// Groups in the domains of Kubernetes need an annotation that says whether they are approved.
enum class Approval : uint8_t {
  kNotNeeded,  // another group
  kMissing,
  kApproved,    // a URL
  kUnapproved,  // "unapproved", and perhaps why
  kInvalid,
};

struct ApprovalState {
  Approval approval = Approval::kNotNeeded;
  std::string message = {};  // in upstream's words
};

inline constexpr std::string_view kApprovalAnnotation = "api-approved.kubernetes.io";

ApprovalState approval_of(View definition);
// What the annotation alone says, in whatever group.
ApprovalState annotated_approval(View definition);

}  // namespace proa::kinds::crd
