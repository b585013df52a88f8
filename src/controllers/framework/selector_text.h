#pragma once

#include <string>

#include "api/object/view.h"

namespace proa::controllers {

// A metav1.LabelSelector as Go prints it, which some of upstream's Events do:
// "&LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]...{},}".
std::string go_selector_text(api::View selector);

}  // namespace proa::controllers
