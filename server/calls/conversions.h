// The conversions of what calls ask for and answer with. The templates that read requests and write answers
// see only the conversions that are declared before them, so they include all.
#pragma once

#include "schema/convert/dead_letters/dead_letter_changes_conversion.h"
#include "schema/convert/dead_letters/dead_letter_conversion.h"
#include "schema/convert/dead_letters/dead_letter_statistics_conversion.h"
#include "schema/convert/dead_letters/find_dead_letters_conversion.h"
#include "schema/convert/dead_letters/redrive_conversion.h"
#include "schema/convert/messages/message_history_conversion.h"
#include "schema/convert/messages/peek_conversion.h"
#include "schema/convert/messages/push_conversion.h"
#include "schema/convert/messages/receive_conversion.h"
#include "schema/convert/messages/send_conversion.h"
#include "schema/convert/messages/settle_conversion.h"
#include "schema/convert/queues/operations_conversion.h"
#include "schema/convert/queues/queue_conversion.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/hello_conversion.h"
