/** No key is sent as many requests in a window as its plan allows, so that the limit is not what answers. */
export const REQUESTS_PER_WINDOW = 250;
