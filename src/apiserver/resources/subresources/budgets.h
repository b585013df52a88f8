#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/object/edit.h"
#include "apiserver/resources/call/context.h"

// How PodDisruptionBudgets guard pods against evictions.

namespace proa::apiserver {

// The budgets that select a pod with these labels, by name. An invalid selector selects nothing.
Result<std::vector<json::Document>> budgets_of(const ApiContext& context,
                                               std::string_view name_space, api::View labels);

// Whether an unready pod may be evicted without being counted.
bool allows_unready_eviction(api::View budget);

// Whether the budget allows a disruption. Fails with kTooManyRequests or kForbidden.
Result<void> check_budget(api::View budget);
// Takes one and records the pod, which counts as disrupted until the controller observes its
// deletion.
void take_disruption(api::Edit budget, std::string_view pod, Time now);

// 429: the client should retry when the budget's status is current.
Status budget_is_behind(std::string_view name);

}  // namespace proa::apiserver
