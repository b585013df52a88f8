#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/object/edit.h"
#include "apiserver/resources/call/context.h"

// How PodDisruptionBudgets guard pods against evictions.

namespace proa::apiserver {

// The budgets in a namespace that select a pod with these labels, by name. One whose selector makes
// no sense selects nothing.
Result<std::vector<json::Document>> budgets_of(const ApiContext& context,
                                               std::string_view name_space, api::View labels);

// Whether a pod that is not ready may go without being counted: it is no loss.
bool lets_unready_go(api::View budget);

// Whether the budget has a disruption to give. kTooManyRequests, kForbidden.
Result<void> check_budget(api::View budget);
// Takes one, and writes down for whom: until the pod is seen to be gone, it counts as gone.
void take_disruption(api::Edit budget, std::string_view pod, Time now);

// 429: the client is to try again when the budget's numbers are right.
Status budget_is_behind(std::string_view name);

}  // namespace proa::apiserver
