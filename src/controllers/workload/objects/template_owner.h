#pragma once

#include "controllers/workload/objects/common.h"

namespace proa::controllers::objects {

struct TemplateOwnerSpec {
  api::RawJson pod_template;

  static const api::FieldTable& table();
};

// A workload with a pod template.
struct TemplateOwner {
  TemplateOwnerSpec spec;

  static const api::FieldTable& table();
};

struct RevisionMetadata {
  Time created{};

  static const api::FieldTable& table();
};

// A ControllerRevision.
struct Revision {
  RevisionMetadata metadata;
  api::RawJson data;
  int64_t number = 0;

  static const api::FieldTable& table();
};

}  // namespace proa::controllers::objects
