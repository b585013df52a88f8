#include "apiserver/front/fairness/dangling.h"

#include "api/object/view.h"

namespace proa::apiserver::fairness {

DanglingCondition DanglingStatus::condition() const {
  const std::string refers =
      "This FlowSchema references the PriorityLevelConfiguration object named \"" + level + "\" ";
  if (dangling) return {"True", "NotFound", refers + "but there is no such object"};
  return {"False", "Found", refers + "and it exists"};
}

DanglingCondition read_dangling_condition(const api::Object& object) {
  const Result<json::Document> document = object.document();
  if (!document) return {};
  const api::View root(document->root());
  for (const api::View condition : root["status"]["conditions"].items()) {
    if (condition["type"].text() != "Dangling") continue;
    return {std::string(condition["status"].text()), std::string(condition["reason"].text()),
            std::string(condition["message"].text())};
  }
  return {};
}

}  // namespace proa::apiserver::fairness
