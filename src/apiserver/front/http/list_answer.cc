#include "apiserver/front/http/list_answer.h"

#include "apiserver/front/paths/streamed.h"

namespace proa::apiserver {

void answer_list(const http::ExchangePtr& exchange, http::ResponseHead head,
                 std::unique_ptr<ListMessage> message, std::function<void(size_t bytes)> done) {
  answer_in_parts(
      exchange, std::move(head),
      [list = std::shared_ptr(std::move(message))](std::string& out, size_t bytes) {
        return list->next(out, bytes);
      },
      std::move(done));
}

}  // namespace proa::apiserver
