#include "apiserver/front/fairness/ticket.h"

#include "apiserver/front/fairness/flow_control.h"

namespace proa::apiserver::fairness {

RequestDetails::RequestDetails(const Attributes& request, std::string_view path) {
  std::string_view separator;
  if (!request.group.empty() && !request.version.empty()) separator = "/";
  const std::string_view version[] = {request.group, separator, request.version};
  size_t size = 8;
  const std::string_view plain[] = {request.user->name, request.verb, path, request.name_space,
                                    request.name};
  const std::string_view last[] = {request.resource, request.subresource};
  for (const std::string_view text : plain) size += text.size();
  for (const std::string_view text : version) size += text.size();
  for (const std::string_view text : last) size += text.size();
  texts_.reserve(size);
  for (const std::string_view text : plain) texts_.append(text).push_back('\0');
  for (const std::string_view text : version) texts_.append(text);
  texts_.push_back('\0');
  for (const std::string_view text : last) texts_.append(text).push_back('\0');
}

// A text with a zero byte in it moves those behind it: only dumps show them.
std::string_view RequestDetails::get(Field field) const {
  std::string_view rest = texts_;
  for (size_t i = 0; i < field; ++i) {
    const size_t end = rest.find('\0');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  return rest.substr(0, rest.find('\0'));
}

Ticket::Ticket(std::shared_ptr<FlowControl> control, FlowPtr chosen, WorkEstimate cost,
               RequestDetails details)
    : control_(std::move(control)),
      flow_(std::move(chosen)),
      estimated_(cost),
      details_(std::move(details)) {
  estimate = cost;
}

Ticket::~Ticket() { leave(); }

void Ticket::leave() { control_->leave(*this); }

bool Ticket::abandon() { return control_->abandon(*this); }

}  // namespace proa::apiserver::fairness
