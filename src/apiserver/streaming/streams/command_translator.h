#pragma once

#include <memory>

#include "apiserver/streaming/streams/translator.h"

namespace proa::apiserver {

// The requested streams of a command.
struct CommandStreams {
  bool input = false;
  bool output = false;
  bool errors = false;
  bool tty = false;
};

// exec and attach: translates "v5.channel.k8s.io" of the client, where each message begins with a
// channel number and channels can be closed, to "v4.channel.k8s.io" over SPDY of the kubelet, where
// each channel is a stream.
std::unique_ptr<StreamTranslator> translate_command(const CommandStreams& wanted);

// port-forward: the client sends SPDY inside its messages.
std::unique_ptr<StreamTranslator> translate_tunnel();

}  // namespace proa::apiserver
