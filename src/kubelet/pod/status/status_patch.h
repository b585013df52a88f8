#pragma once

#include <string>

#include "kubelet/model/pod.h"

namespace proa::kubelet {

struct PatchInputs {
  const Pod& told;        // the pod as the API has it
  const Pod& pod;         // the pod that the status is about; a static one, where `told` mirrors it
  api::View status;       // in the form that the API prints
  bool may_run = false;   // containers may run still: it is not told yet that the pod is over
  bool finished = false;  // nothing is left of it: it is over whatever the status says
  Time now = {};
};

// The strategic merge patch that brings the API's status to ours, with the uid as a precondition;
// empty when there is nothing to say. Conditions and fields of others stay. A phase that is final
// stays.
std::string make_status_patch(const PatchInputs& inputs);

}  // namespace proa::kubelet
