/** Clicking and dragging on the bytes of a stream, with a mouse, a pen or a finger. */
import type { ByteStreamView } from './scrubber-stream.ts';

/** Pixels from the edge of the view within which dragging scrolls it, and by how much. */
const EDGE = 16;
const SCROLL = 14;

export interface PointerMoves {
  moved(position: number): void;
  released(): void;
}

/** A vertical swipe scrolls the bytes: the browser then cancels the pointer. */
export function followPointer(view: ByteStreamView, moves: PointerMoves): void {
  const { root } = view;
  let isDown = false;
  const move = (event: PointerEvent): void => {
    const position = view.positionAt(event.clientX, event.clientY);
    if (position !== null) moves.moved(position);
  };
  const release = (): void => {
    isDown = false;
    moves.released();
  };
  root.addEventListener('mousedown', (event) => {
    if (isOnScrollBar(root, event)) return;
    event.preventDefault();
    root.focus({ preventScroll: true });
  });
  root.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || isOnScrollBar(root, event)) return;
    isDown = true;
    root.setPointerCapture(event.pointerId);
    move(event);
  });
  root.addEventListener('pointermove', (event) => {
    if (!isDown) return;
    const { top, bottom } = root.getBoundingClientRect();
    if (event.clientY < top + EDGE) root.scrollTop -= SCROLL;
    else if (event.clientY > bottom - EDGE) root.scrollTop += SCROLL;
    move(event);
  });
  root.addEventListener('pointerup', release);
  root.addEventListener('pointercancel', release);
}

function isOnScrollBar(root: HTMLElement, event: MouseEvent): boolean {
  return event.target === root && event.offsetX > root.clientWidth;
}
