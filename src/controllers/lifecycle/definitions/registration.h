#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "api/object/object.h"
#include "api/object/view.h"
#include "controllers/framework/controller.h"
#include "json/value.h"

namespace proa::controllers {

// The APIServices of the versions that CustomResourceDefinitions serve.
std::unique_ptr<Controller> make_definition_registration(const ControllerContext& context);

namespace definitions {

// Whether one of the definitions serves that version. All are of one group.
bool is_version_served(std::span<const api::ObjectPtr> definitions, std::string_view version);

enum class Registration : uint8_t { kKeep, kCreate, kReset, kRemove };

// What has to be done about an APIService, absent or not, of a version that definitions serve or
// not. Those that are managed by somebody else stay as they are. Upstream's checkAPIService.
Registration plan_registration(bool is_served, api::View current, api::View wanted);

// The APIService of "v1" and "example.com".
json::Document api_service(std::string_view version, std::string_view group);

}  // namespace definitions
}  // namespace proa::controllers
