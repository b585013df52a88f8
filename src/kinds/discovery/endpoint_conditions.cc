#include "kinds/discovery/endpoint_conditions.h"

namespace proa::kinds {

const api::FieldTable& EndpointConditions::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&EndpointConditions::ready>("ready"),
      api::entry<&EndpointConditions::serving>("serving"),
      api::entry<&EndpointConditions::terminating>("terminating"),
  };
  static constexpr api::FieldTable kTable{.types = "discovery.k8s.io/v1/EndpointConditions",
                                          .entries = kEntries};
  return kTable;
}

}  // namespace proa::kinds
